/** Runs as a table; on a narrow screen each is a few lines. */

import type { RunView } from "@reprise/core/api/reprise";
import { Link } from "wouter";
import { Ago } from "../../parts/ago.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Elapsed } from "../../parts/elapsed.tsx";
import { row } from "../../parts/row.ts";
import { duration } from "../../parts/time.ts";

const cell = "inline-block pr-4 sm:table-cell sm:px-3 sm:py-2 sm:align-baseline";
const head = "px-3 py-2 font-medium";

export function RunTable({ runs }: { readonly runs: readonly RunView[] }) {
  return (
    <div className="rounded-lg border border-line bg-surface">
      <table className="w-full text-left text-sm">
        <thead className="sr-only sm:not-sr-only sm:table-header-group">
          <tr className="text-xs text-muted">
            <th className={head}>Workflow</th>
            <th className={head}>Run</th>
            <th className={head}>Status</th>
            <th className={head}>Started</th>
            <th className={head}>Duration</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr
              key={run.id}
              data-run={run.id}
              className="block border-t border-line px-3 py-2 first:border-t-0 sm:table-row sm:first:border-t"
            >
              <td className={cell}>
                <Link
                  {...row}
                  href={`/runs/${run.id}`}
                  className="font-medium text-accent underline-offset-2 hover:underline"
                >
                  {run.workflow}
                </Link>
              </td>
              <td className={`${cell} font-mono text-xs break-all text-muted`}>{run.id}</td>
              <td className={cell}>
                <Badge word={run.stalled ? "stalled" : run.status} />
              </td>
              <td className={`${cell} text-muted`}>
                <Ago at={run.startedAt} />
              </td>
              <td className={`${cell} text-muted`}>
                {run.endedAt === null ? (
                  <Elapsed since={run.startedAt} />
                ) : (
                  duration(run.endedAt - run.startedAt)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
