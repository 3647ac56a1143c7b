/** How an item was settled, in a few words. */

import type { InboxItemView } from "@reprise/core/api/reprise";
import { saidIn } from "@reprise/core/workflow/inbox-item";

type Resolution = NonNullable<InboxItemView["resolution"]>;

export function resolutionWords(
  { kind }: Pick<InboxItemView, "kind">,
  resolution: Resolution,
): string {
  const { how, by } = resolution;
  if (how === "expired") return "its deadline has passed";
  if (how === "cancelled")
    return kind === "question" || kind === "permission"
      ? "its turn has ended"
      : "its run has ended";
  return `${saidIn(resolution)} by ${by ?? "somebody"}`;
}
