/** Below the graph: outputs, events, inputs and the workflow's source. */

import type { RunDetail } from "@reprise/core/api/reprise";
import { useSearchParams } from "wouter";
import { TextBlock } from "../../parts/text-block.tsx";
import { Values } from "../../parts/values.tsx";
import { EventLog } from "./event-log.tsx";

const tabs = ["outputs", "events", "inputs", "workflow"] as const;
type Tab = (typeof tabs)[number];

export function RunDetails({ run }: { readonly run: RunDetail }) {
  const [query, setQuery] = useSearchParams();
  const tab =
    tabs.find((each) => each === query.get("tab")) ?? (run.endedAt === null ? "events" : "outputs");
  const choose = (next: Tab) =>
    setQuery((old) => ({ ...Object.fromEntries(old), tab: next }), { replace: true });
  return (
    <section aria-label="Details" className="rounded-lg border border-line bg-surface">
      <div className="flex flex-wrap gap-1 border-b border-line px-2 pt-2">
        {tabs.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === tab}
            onClick={() => choose(each)}
            className={`rounded-t-md border-b-2 px-3 py-2 text-sm capitalize ${each === tab ? "border-accent font-semibold" : "border-transparent text-muted hover:text-text"}`}
          >
            {each}
          </button>
        ))}
      </div>
      <div className="p-4">
        {tab === "outputs" && <Values values={run.outputs} />}
        {tab === "events" && <EventLog run={run.id} ended={run.endedAt !== null} />}
        {tab === "inputs" && <Values values={run.inputs} />}
        {tab === "workflow" && <TextBlock label="As started" text={run.source} />}
      </div>
    </section>
  );
}
