import { expect, test } from "vitest";
import { loaded } from "./compile/example.ts";
import { impliedFor } from "./implied.ts";

function implied(steps: string): Record<string, string> {
  const { graph } = loaded(`name: t\nsteps:\n${steps}`);
  return Object.fromEntries(
    graph.nodes
      .map((node) => [node.id, impliedFor(graph, node).join("; ")] as const)
      .filter(([, text]) => text !== ""),
  );
}

test("W17: what a rejection and an error do is said where the file leaves it open", () => {
  expect(
    implied(`  tests: { shell: make test }
  well: { branch: tests }
  deploy: { needs: tests, shell: deploy }
  tell: { needs: well.false, shell: "tell {{ tests.stderr }}" }
  sign-off: { needs: tell, gate: Push? }
  push: { needs: sign-off, shell: push }
  note: { shell: "note {{ sign-off.comment }}" }
  again: { gate: { title: More?, onReject: continue } }
  lint: { shell: lint, onError: skip }
  after: { needs: lint, shell: after }
`),
  ).toEqual({
    tests: "on error: well reads it, deploy is skipped",
    "sign-off": "on reject: push and note are skipped, the run is rejected",
    again: "on reject: what needs it runs anyway",
    lint: "on error: after is skipped",
  });
});

test("W17: who keeps a session, and who gets whose feedback", () => {
  expect(
    implied(`  review:
    loop:
      until: fine
      steps:
        setup: { shell: npm ci }
        coder: { needs: setup, agent: scripted, prompt: Do it. }
        fine: { needs: coder, gate: Fine? }
  types: { needs: review, shell: tsc }
  fixer: { needs: review, agent: scripted, prompt: Fix it. }
  check: { needs: fixer, shell: make check }
  gate: { retry-gate: { target: fixer, checks: check } }
  ship: { needs: gate, shell: ship }
`),
  ).toEqual({
    review: "at its maximum: it fails",
    coder: "keeps the session coder; gets fine.comment as feedback",
    fine: "on reject: review reads it",
    fixer: "keeps the session fixer; gets gate.retry_feedback as feedback",
    check: "on error: gate reads it",
    gate: "not passed: ship is skipped, the run is rejected",
  });
});
