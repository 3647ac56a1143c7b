/** An empty home: the demonstration, and which agents were found. */

import type { DoctorReport } from "@reprise/core/api/reprise";
import { asCommands } from "@reprise/core/api/verb-commands";
import { Link } from "wouter";
import { offline } from "../../examples/examples.ts";
import { useDoctor } from "../../hooks/use-doctor.ts";
import { useStartRun } from "../../hooks/use-start-run.ts";
import { Button, plainButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { LoadedPart } from "../../parts/loaded.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";

export function Welcome() {
  const start = useStartRun();
  const doctor = useDoctor();
  return (
    <div className="mx-auto max-w-3xl space-y-6 py-4">
      <div>
        <h1 className="text-2xl font-semibold tracking-tight">
          Agents that pick up where they left off
        </h1>
        <p className="mt-2 max-w-prose text-muted">
          Reprise keeps coding agents in one continuous conversation, or starts them clean, and
          always shows why. Nothing has run here yet.
        </p>
      </div>
      <Card title="See it work">
        <p className="mb-3 max-w-prose text-sm">
          A small workflow with the scripted agent: no network, no account. Its session continues
          through a loop, is held while a gate waits for you, and still remembers everything after.
        </p>
        <ProblemNote error={start.error} />
        <div className="flex flex-wrap gap-2">
          <Button
            primary
            disabled={start.isPending}
            onClick={() => start.mutate({ source: offline.source })}
          >
            {start.isPending ? "Starting…" : "Run the demonstration"}
          </Button>
          <Link href="/start" className={plainButton}>
            Start your own workflow
          </Link>
        </div>
      </Card>
      <Card title="Agents on this machine">
        <LoadedPart query={doctor}>{(report) => <Programs report={report} />}</LoadedPart>
      </Card>
    </div>
  );
}

const marks = { ok: "text-good", warning: "text-muted", problem: "text-bad" };
const words = { ok: "found", warning: "not found", problem: "problem" };

function Programs({ report }: { readonly report: DoctorReport }) {
  const found = report.findings.filter(({ subject }) => /^(?:program|agent) /.test(subject));
  return (
    <ul className="space-y-3 text-sm">
      {found.map(({ subject, state, text, hint }) => (
        <li key={subject}>
          <p>
            <strong className="font-medium">{subject.replace(/^\w+ /, "")}</strong>{" "}
            <span className={marks[state]}>{words[state]}</span>
          </p>
          <p className="text-muted">
            {text} {hint && asCommands(hint)}
          </p>
        </li>
      ))}
    </ul>
  );
}
