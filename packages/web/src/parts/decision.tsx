/** Why a turn went on as it did: every guard with what was stored and what is now. */

import type { DecisionView } from "@reprise/core/api/reprise";
import { Badge } from "./badge.tsx";
import { Notices } from "./notices.tsx";
import { decisionSentence } from "./sentence.ts";

interface DecisionProps {
  readonly decision: DecisionView;
  /** Its outcome is told above it already. */
  readonly told?: boolean;
}

export function DecisionTable({ decision, told = false }: DecisionProps) {
  const { outcome, verdicts, notices, error, handle, prepare } = decision;
  return (
    <div className="space-y-3">
      {!told && (
        <p className="text-sm">
          <Badge word={outcome} /> <span>{decisionSentence(decision)}</span>
        </p>
      )}
      {error && (
        <p className="text-sm text-bad">
          {error.message} {error.hint}
        </p>
      )}
      {prepare && prepare.length > 0 && (
        <p className="text-sm">Before it is sent: {prepare.join(", ")}.</p>
      )}
      <Notices notices={notices} />
      {verdicts.length > 0 && <Verdicts verdicts={verdicts} />}
      {handle && <p className="font-mono text-xs text-muted">provider session {handle.id}</p>}
    </div>
  );
}

/** By the room that it has, not by the screen: it stands in narrow columns too. */
function Verdicts({ verdicts }: Pick<DecisionView, "verdicts">) {
  return (
    <div className="@container">
      <table className="w-full text-left text-sm">
        <caption className="sr-only">Guards, with stored and current values</caption>
        <thead className="sr-only @lg:not-sr-only @lg:table-header-group">
          <tr className="text-xs text-muted">
            <th className="py-1 pr-3 font-medium">Guard</th>
            <th className="py-1 pr-3 font-medium">Passed</th>
            <th className="py-1 pr-3 font-medium">Stored</th>
            <th className="py-1 font-medium">Current</th>
          </tr>
        </thead>
        <tbody>
          {verdicts.map(({ guard, passed, stored, current }) => (
            <tr
              key={guard}
              className={`block border-t border-line py-1.5 @lg:table-row ${passed ? "" : "bg-bad-soft"}`}
            >
              <th scope="row" className={`${cell} font-medium`}>
                {guard}
              </th>
              <td className={`${cell} ${passed ? "text-good" : "text-bad"}`}>
                {passed ? "passes" : "fails"}
              </td>
              <Value name="stored" value={stored} />
              <Value name="current" value={current} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const cell = "inline-block pr-3 whitespace-nowrap @lg:table-cell @lg:py-1.5 @lg:align-top";

function Value({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <td className="block pr-3 font-mono text-[0.8rem] @lg:table-cell @lg:w-1/2 @lg:py-1.5 @lg:align-top">
      <span className="mr-2 font-sans text-xs text-muted @lg:hidden">{name}</span>
      {value}
    </td>
  );
}
