/** Why a turn was resumed or not: every guard with its stored and its current value, the failed ones first. */

import type { DecisionView, VerdictView } from "@reprise/core/api/reprise";
import { asCommands } from "@reprise/core/api/verb-commands";
import { Badge } from "./badge.tsx";
import { Notices } from "./notices.tsx";
import { decisionSentence } from "./sentence.ts";

interface DecisionProps {
  readonly decision: DecisionView;
  /** Without its outcome, which is already shown above. */
  readonly withoutOutcome?: boolean;
}

export function DecisionTable({ decision, withoutOutcome = false }: DecisionProps) {
  const { outcome, reason, verdicts, notices, error, handle, prepare } = decision;
  // A first turn has nothing to resume; that is not a failure.
  const isFirst = outcome === "blank" && reason === "prior";
  const failed = verdicts.filter(({ guard, passed }) => !passed && !(isFirst && guard === "prior"));
  const others = verdicts.filter((verdict) => !failed.includes(verdict));
  return (
    <div className="space-y-3">
      {!withoutOutcome && (
        <p className="text-sm">
          <Badge word={outcome} /> <span>{decisionSentence(decision)}</span>
        </p>
      )}
      {error && (
        <p className="text-sm text-bad">
          {error.message} {asCommands(error.hint)}
        </p>
      )}
      {prepare && prepare.length > 0 && (
        <p className="text-sm">Before it is sent: {prepare.join(", ")}.</p>
      )}
      <Notices notices={notices} />
      {failed.length > 0 && <Verdicts caption="Guards that fail" verdicts={failed} />}
      {others.length > 0 && (
        <details>
          <summary className="text-sm text-muted">
            {foldedWords(others.length, failed.length)}
          </summary>
          <div className="mt-2">
            <Verdicts caption="Other guards" verdicts={others} first={isFirst} />
          </div>
        </details>
      )}
      {handle && <p className="font-mono text-xs text-muted">provider session {handle.id}</p>}
    </div>
  );
}

function foldedWords(others: number, failed: number): string {
  if (failed === 0) return `All ${others} guards`;
  return others === 1 ? "1 other passes" : `${others} others pass`;
}

interface VerdictsProps {
  readonly caption: string;
  readonly verdicts: readonly VerdictView[];
  readonly first?: boolean;
}

/** Laid out by its own width, not the screen's: it is in narrow columns too. */
function Verdicts({ caption, verdicts, first = false }: VerdictsProps) {
  return (
    <div className="@container">
      <table className="w-full text-left text-sm">
        <caption className="sr-only">{caption}, with stored and current values</caption>
        <thead className="sr-only @lg:not-sr-only @lg:table-header-group">
          <tr className="text-xs text-muted">
            <th className="py-1 pr-3 font-medium">Guard</th>
            <th className="py-1 pr-3 font-medium">Result</th>
            <th className="py-1 pr-3 font-medium">Stored</th>
            <th className="py-1 font-medium">Current</th>
          </tr>
        </thead>
        <tbody>
          {verdicts.map(({ guard, passed, stored, current }) => {
            const isFirst = first && guard === "prior";
            return (
              <tr
                key={guard}
                className={`block border-t border-line py-1.5 @lg:table-row ${passed || isFirst ? "" : "bg-bad-soft"}`}
              >
                <th scope="row" className={`${cell} font-medium`}>
                  {guard}
                </th>
                <td
                  className={`${cell} ${isFirst ? "text-muted" : passed ? "text-good" : "text-bad"}`}
                >
                  {isFirst ? "first turn" : passed ? "passes" : "fails"}
                </td>
                <Value name="stored" value={stored} />
                <Value name="current" value={current} />
              </tr>
            );
          })}
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
