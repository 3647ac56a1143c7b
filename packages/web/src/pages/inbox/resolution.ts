/** How an item was settled, in a few words. */

import type { InboxItemView } from "@reprise/core/api/reprise";

type Resolution = NonNullable<InboxItemView["resolution"]>;

export function resolutionWords({ how, choice, by }: Resolution): string {
  if (how === "expired") return "its deadline has passed";
  if (how === "cancelled") return "its run has ended";
  return `${choice ?? "answered"}${by === null ? "" : ` by ${by}`}`;
}
