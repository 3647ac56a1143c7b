/** Hold or release a session, archive or revive it. */

import type { SessionDetail } from "@reprise/core/api/reprise";
import { useMay } from "../../hooks/use-caller.ts";
import { useSessionAction } from "../../hooks/use-session-action.ts";
import { Button } from "../../parts/button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";

/** The holder when you hold a session on the page. */
const person = "person";

export function SessionActions({ session }: { readonly session: SessionDetail }) {
  const { key, held, archivedAt } = session;
  const action = useSessionAction(key);
  const mayOperate = useMay("operator");
  const isHeld = held.some(({ by }) => by === person);
  if (!mayOperate) return null;
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap gap-2">
        {isHeld ? (
          <Button
            disabled={action.isPending}
            onClick={() => action.mutate({ do: "release", by: person })}
          >
            Release
          </Button>
        ) : (
          <Button disabled={action.isPending} onClick={() => action.mutate({ do: "hold" })}>
            Hold
          </Button>
        )}
        {archivedAt === null ? (
          <Button disabled={action.isPending} onClick={() => action.mutate({ do: "archive" })}>
            Archive
          </Button>
        ) : (
          <Button disabled={action.isPending} onClick={() => action.mutate({ do: "revive" })}>
            Revive
          </Button>
        )}
      </div>
      <ProblemNote error={action.error} />
    </div>
  );
}
