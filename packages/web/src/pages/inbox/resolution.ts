/** How an item was settled, in a few words. */

import type { InboxItemView } from "@reprise/core/api/reprise";
import { saidIn } from "@reprise/workflow/inbox-item";

type Resolution = NonNullable<InboxItemView["resolution"]>;

const past: Readonly<Record<string, string>> = {
  approve: "Approved",
  reject: "Rejected",
  allow: "Allowed",
  deny: "Denied",
  retry: "Retried",
  cancel: "Cancelled",
};

export function resolutionWords(
  { kind }: Pick<InboxItemView, "kind">,
  resolution: Resolution,
): string {
  const { how, by } = resolution;
  if (how === "expired") return "Deadline passed";
  if (how === "cancelled")
    return kind === "question" || kind === "permission" ? "Turn ended" : "Run ended";
  const said = saidIn(resolution);
  const signature = by === null ? "" : ` by ${by}`;
  return past[said] ? `${past[said]}${signature}` : `Answered${signature}: ${said}`;
}
