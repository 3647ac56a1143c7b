import { expect, test } from "vitest";
import { loaded } from "./compile/example.ts";
import { graphView } from "./graph-view.ts";

const { graph } = loaded(`name: Review
inputs: { task: string }
steps:
  review:
    loop:
      until: critic.approved
      steps:
        writer: { agent: claude, prompt: "{{ inputs.task }}" }
        critic:
          agent: codex
          prompt: "Is this right? {{ writer.output }} {{ writer.sessionId }}"
          returns: { approved: boolean, feedback: string }
  sign-off: { needs: review, gate: "Take it over?" }
outputs: { text: writer.output }
`);

test("nodes are inside their loops, with a few words about each", () => {
  const { nodes } = graphView(graph);
  expect(nodes.map(({ id, parent }) => [id, parent])).toEqual([
    ["review", null],
    ["writer", "review"],
    ["critic", "review"],
    ["sign-off", null],
    ["outputs.text", null],
  ]);
  expect(nodes[3]).toMatchObject({ type: "gate", about: "approval, approve or reject" });
});

test("two nodes have one line for all that goes between them, and what comes back has its own", () => {
  expect(graphView(graph).edges.map(Object.values).toSorted()).toEqual([
    ["critic", "review", "until", false],
    ["critic", "writer", "feedback", true],
    ["review", "outputs.text", "writer.output", false],
    ["review", "sign-off", "", false],
    ["writer", "critic", "output, sessionId", false],
  ]);
});

test("a branch names its way, a retry gate goes back to its target", () => {
  const { graph: retried } = loaded(`name: Retry
steps:
  write: { agent: claude, prompt: Write. }
  test: { needs: write, shell: make test, onError: continue }
  again: { retry-gate: { target: write, checks: test.success, feedback: test.stderr } }
  good: { branch: again.passed }
  publish: { needs: good.true, shell: make publish }
`);
  const edges = graphView(retried).edges.map(Object.values);
  expect(edges).toContainEqual(["again", "write", "retry_feedback", true]);
  expect(edges).toContainEqual(["good", "publish", "true", false]);
});
