/** Why a turn was resumed or not: each attempt with its decision, and the notices. */

import type { TurnResult } from "@reprise/core/api/reprise";
import { useTurn } from "../hooks/use-turn.ts";
import { DecisionTable } from "./decision.tsx";
import { LoadedPart } from "./loaded.tsx";
import { Notices } from "./notices.tsx";
import { ProblemNote } from "./problem-note.tsx";
import { duration } from "./time.ts";

export function TurnWhy({ turn }: { readonly turn: string }) {
  const query = useTurn(turn);
  return <LoadedPart query={query}>{(result) => <Why result={result} />}</LoadedPart>;
}

function Why({ result }: { readonly result: TurnResult }) {
  const { attempts, notices, error, usage, access } = result;
  const last = attempts.at(-1);
  return (
    <div className="space-y-4">
      <Notices notices={notices} />
      {error && <ProblemNote error={error} />}
      {attempts.length === 0 && <p className="text-sm text-muted">Not decided yet.</p>}
      {attempts.map((attempt) => (
        <section key={attempt.number} aria-label={`Attempt ${attempt.number}`}>
          {attempts.length > 1 && (
            <h3 className="mb-1 text-sm font-semibold">Attempt {attempt.number}</h3>
          )}
          <DecisionTable decision={{ ...attempt.decision, notices: [] }} />
          <p className="mt-2 text-xs text-muted">
            {[
              attempt.ending,
              attempt.exit !== null && `exit ${attempt.exit}`,
              attempt.endedAt !== null && duration(attempt.endedAt - attempt.startedAt),
              attempt.tools && "tools ran",
              attempt === last && access && `access ${access}`,
              attempt.denied.length > 0 && `${attempt.denied.length} denied`,
              attempt === last && usage && tokens(usage),
            ]
              .filter(Boolean)
              .join(" · ")}
          </p>
        </section>
      ))}
    </div>
  );
}

function tokens({ cachedRead, uncached, output }: NonNullable<TurnResult["usage"]>): string {
  const known = (count: number | null) => (count === null ? "?" : String(count));
  return `tokens: ${known(uncached)} new, ${known(cachedRead)} cached, ${known(output)} out`;
}
