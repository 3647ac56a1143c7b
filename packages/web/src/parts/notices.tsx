/** Notices that belong to a decision or a turn. */

import type { DecisionView } from "@reprise/core/api/reprise";
import { asCommands } from "@reprise/core/api/verb-commands";

export function Notices({ notices }: Pick<DecisionView, "notices">) {
  if (notices.length === 0) return null;
  return (
    <ul className="space-y-1 rounded-md bg-care-soft px-3 py-2 text-sm text-care">
      {notices.map(({ code, text }) => (
        <li key={code + text}>{asCommands(text)}</li>
      ))}
    </ul>
  );
}
