/** One line about the sessions that Reprise did not start: how many are kept, or a button that keeps them. */

import type { ProtectStatus } from "@reprise/core/api/reprise";
import { useMay } from "../../hooks/use-caller.ts";
import { useProtect, useTurnOnProtect } from "../../hooks/use-protect.ts";
import { Ago } from "../../parts/ago.tsx";
import { Button } from "../../parts/button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";

export function ProtectLine() {
  const { data } = useProtect();
  const turnOn = useTurnOnProtect();
  const mayOperate = useMay("operator");
  if (!data) return null;
  return (
    <section aria-label="Protect" className="space-y-2 text-sm text-muted">
      {data.onAt === null ? (
        <div className="flex flex-wrap items-center gap-2">
          <p>Sessions that you begin in the agents' own programs are not kept.</p>
          {mayOperate && (
            <Button disabled={turnOn.isPending} onClick={() => turnOn.mutate()}>
              Keep them
            </Button>
          )}
        </div>
      ) : (
        <Kept status={data} />
      )}
      <ProblemNote error={turnOn.error} />
    </section>
  );
}

function Kept({ status: { homes, scannedAt } }: { readonly status: ProtectStatus }) {
  const kept = homes.reduce((sum, home) => sum + home.kept, 0);
  const gone = homes.reduce((sum, home) => sum + home.gone, 0);
  return (
    <p>
      Kept from the agents' own programs: {kept}
      {gone > 0 && (
        <>
          , of which {gone} are gone there (<code>reprise protect status</code> lists them)
        </>
      )}
      {scannedAt !== null && (
        <>
          ; last scan <Ago at={scannedAt} />
        </>
      )}
      .
    </p>
  );
}
