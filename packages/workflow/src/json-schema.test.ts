import { expect, test } from "vitest";
import { z } from "zod";
import { workflowFileSchema } from "./document.ts";
import { workflowJsonSchema } from "./json-schema.ts";
import { exampleRunners } from "./runners-example.ts";

const schema = workflowJsonSchema(exampleRunners);
const read = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);

const long = {
  version: 2,
  metadata: { name: "Long" },
  nodes: [
    { id: "start", type: "trigger", position: { x: 1, y: 2 } },
    { id: "a", type: "agent", data: { runner: "codex", timeout: "90s", session: { name: "s" } } },
    { id: "b", type: "drawn", data: { nodeType: "shell", script: "true" } },
  ],
  edges: [{ source: "start", target: "a", targetHandle: "input:prompt" }],
};
const short = {
  name: "Short",
  inputs: { task: "string" },
  steps: {
    review: {
      loop: { until: "reviewer.approved", steps: { coder: { agent: "codex", prompt: "Do it." } } },
    },
    ship: { needs: "review", gate: "Ship it?" },
  },
};

test.each([
  ["the long form", long, true],
  ["the short form", short, true],
  ["a version that is none", { ...long, version: 9 }, false],
  [
    "a duration that is none",
    { ...long, nodes: [{ id: "a", type: "agent", data: { timeout: "soon" } }] },
    false,
  ],
  [
    "a mode that is none",
    { ...long, nodes: [{ id: "a", type: "agent", data: { mode: "x" } }] },
    false,
  ],
  [
    "a step that is none, deep inside",
    { name: "x", steps: { a: { loop: { steps: { b: { shel: "" } } } } } },
    false,
  ],
  ["nothing", {}, false],
])("it and the loader agree about %s", (_, value, fits) => {
  expect(workflowFileSchema.safeParse(value).success).toBe(fits);
  expect(read.safeParse(value).success).toBe(fits);
});

test("it has a title, and says what a key means", () => {
  expect(schema).toMatchObject({
    title: "Reprise workflow",
    description: expect.any(String),
    $schema: expect.stringContaining("json-schema.org"),
  });
  const { $defs } = schema as { $defs: Record<string, { properties: Record<string, object> }> };
  expect($defs["agent-data"]?.properties.mode).toMatchObject({
    enum: ["ephemeral", "inherit_fresh", "inherit_resume"],
    description: expect.stringContaining("session"),
  });
  expect($defs["agent-data"]?.properties).toMatchObject({
    agentClass: { description: expect.stringContaining("definition"), type: "string" },
    model: { description: "Model of the agent.", type: "string" },
  });
});
