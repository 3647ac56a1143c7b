/** Sessions as a table; on a narrow screen each is a few lines. */

import type { SessionView } from "@reprise/core/api/reprise";
import { Link } from "wouter";
import { Ago } from "../../parts/ago.tsx";
import { Badge } from "../../parts/badge.tsx";
import { row } from "../../parts/row.ts";

const cell = "inline-block pr-4 sm:table-cell sm:px-3 sm:py-2 sm:align-baseline";
const head = "px-3 py-2 font-medium";

export function SessionTable({ sessions }: { readonly sessions: readonly SessionView[] }) {
  return (
    <div className="rounded-lg border border-line bg-surface">
      <table className="w-full text-left text-sm">
        <thead className="sr-only sm:not-sr-only sm:table-header-group">
          <tr className="text-xs text-muted">
            <th className={head}>Key</th>
            <th className={head}>Agent</th>
            <th className={head}>Turns</th>
            <th className={head}>Last turn</th>
            <th className={head}>Used</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <tr
              key={session.key}
              className="block border-t border-line px-3 py-2 first:border-t-0 sm:table-row sm:first:border-t"
            >
              <td className={`${cell} w-full sm:w-auto`}>
                <Link
                  {...row}
                  href={`/sessions/${session.key}`}
                  className="font-mono text-[0.85rem] break-all text-accent underline-offset-2 hover:underline"
                >
                  {session.key}
                </Link>
              </td>
              <td className={cell}>
                {session.agent} <span className="text-muted">({session.provider})</span>
              </td>
              <td className={cell}>
                {session.turns}
                <span className="sm:hidden"> turns</span>
              </td>
              <td className={`${cell} space-x-1`}>
                {session.lastOutcome && <Badge word={session.lastOutcome} />}
                {session.status && session.status !== "done" && <Badge word={session.status} />}
                {session.held.length > 0 && <Badge word="held" />}
                {session.archivedAt !== null && <Badge word="archived" />}
              </td>
              <td className={`${cell} text-muted`}>
                <Ago at={session.updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
