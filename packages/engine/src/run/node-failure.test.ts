/** What ends a node or keeps it from beginning, in whole runs: a dead agent, a wrong value, a session of another. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EventView, Reprise } from "@reprise/core/api/reprise";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openReprise } from "../open-reprise.ts";

let folder: string;
let reprise: Reprise;

beforeEach(async () => {
  folder = temporaryFolder("failure");
  reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
});

afterEach(async () => {
  await reprise.close();
  rmSync(folder, { recursive: true });
});

function run(source: string, id = "r1", inputs = {}) {
  return reprise.runs.start({ source, id, inputs });
}

async function events(id: string, type: string): Promise<EventView[]> {
  const seen: EventView[] = [];
  for await (const event of reprise.runs.events(id, { follow: false }))
    if (event.type === type) seen.push(event);
  return seen;
}

describe("an agent that keeps dying", () => {
  const dying = (more: string) => `
name: dying
steps:
  a: { agent: scripted, settings: { script: crash.json }, prompt: hello${more} }
`;

  beforeEach(() => {
    writeFileSync(join(folder, "crash.json"), JSON.stringify({ rules: [{ do: ["crash"] }] }));
  });

  test.each([
    ["", 1],
    [", onInterrupted: rerun", 1],
    [", retry: { max: 2, backoff: 1 }", 3],
  ])("fails its node as any failure does%s", async (more, attempts) => {
    expect(await run(dying(more))).toMatchObject({
      status: "failed",
      error: { code: "interrupted" },
      executions: [{ attempt: attempts }],
    });
    expect(await events("r1", "node.started")).toHaveLength(attempts);
  });
});

describe("what a function gives", () => {
  const source = (code: string, more = "") => `
name: typed
steps:
  f: { function: "${code}", returns: { ok: boolean, n: number }${more} }
  after: { shell: 'echo "{{ f.ok }}"' }
outputs: { ok: f.ok, text: after.output }
`;

  test.each([
    ["return { ok: 'banana', n: 1 }", "wrong-type", 'returned a text for its output "ok"'],
    ["return { ok: true, n: [] }", "wrong-type", 'returned a list for its output "n"'],
    ["return { ok: true }", "missing-output", 'returned no value for its output "n"'],
  ])("%s fails it", async (code, error, words) => {
    const ended = await run(source(code));
    expect(ended).toMatchObject({ status: "failed", error: { code: error } });
    expect(ended.error?.message).toContain(`Node "f" ${words}`);
    expect(ended.executions.map(({ id }) => id)).toEqual(["f"]);
  });

  test("is read where it is the text of a boolean, and may be null", async () => {
    const { executions, ...ended } = await run(source("return { ok: 'true', n: null }"));
    expect(ended).toMatchObject({ status: "done", outputs: { ok: true, text: "true" } });
    expect(executions[0]).toMatchObject({
      id: "f",
      warnings: ['f.ok: the text "true" was read as true'],
    });
  });
});

test("every node that continues after a failure has its result", async () => {
  const source = (code: string, path: string) => `
name: asked
steps:
  f: { function: "${code}", returns: { ok: boolean }, onError: continue }
  w: { workdir: ${path}, onError: continue }
  l:
    onError: continue
    loop:
      max: 1
      until: inner.ok
      steps: { inner: { function: "${code}", returns: { ok: boolean } } }
  report: { shell: 'echo "{{ f.success }} {{ w.success }} {{ l.success }} {{ l.error }}"' }
outputs: { well: l.success, error: f.error, report: report.output }
`;
  expect(await run(source("throw new Error('no')", "missing"), "bad")).toMatchObject({
    status: "done",
    outputs: {
      well: false,
      error: expect.stringContaining("no"),
      report: expect.stringMatching(/^false false false .*no/),
    },
  });
  expect(await run(source("return { ok: true }", "."), "good")).toMatchObject({
    status: "done",
    outputs: { well: true, report: "true true true " },
  });
});

describe("the key of a session", () => {
  const given = `
name: given
inputs: { key: { type: string, default: null } }
steps:
  a: { agent: scripted, inputs: { sessionId: inputs.key }, prompt: "echo hello" }
`;

  test("that is none is refused before anything is written", async () => {
    const refused = { code: "bad-key", exitCode: 2 };
    await expect(run(given, "r1", { key: "../../x" })).rejects.toMatchObject(refused);
    await expect(run(given, "r1", { key: "a\nb" })).rejects.toMatchObject(refused);
    expect(await reprise.runs.list()).toEqual([]);
  });

  test("that comes up at run time and is none fails the node, and no session is made", async () => {
    const source = `
name: made
inputs: { word: string }
steps:
  f: { inputs: { word: inputs.word }, function: "return { key: inputs.word }", returns: { key: string } }
  a: { agent: scripted, inputs: { sessionId: f.key }, prompt: "echo hello" }
`;
    expect(await run(source, "r1", { word: "a b" })).toMatchObject({
      status: "failed",
      error: { code: "bad-key" },
    });
    expect(await reprise.sessions.list()).toEqual([]);
  });
});

describe("a run that has the name of a workflow", () => {
  const agent = (session: string, prompt: string, more = "") =>
    `{ agent: scripted, session: ${session}, prompt: "${prompt}"${more} }`;
  const workflow = (name: string, step: string) =>
    `name: ${name}\nsteps: { s: ${step} }\noutputs: { text: s.output }\n`;
  const remembering = agent("{ name: z, scope: workflow }", "remember PEACH");
  const asking = "what did I ask you to remember?";
  const taken = { status: "failed", error: { code: "session-of-another" } };

  test("does not continue in that workflow's session", async () => {
    expect(await run(workflow("Fix", remembering), "r1")).toMatchObject({ status: "done" });
    const ended = await run(workflow("Other", agent("z", asking)), "fix");
    expect(ended).toMatchObject(taken);
    expect(ended.error?.message).toContain("belongs to run r1 of the workflow Fix");
    expect(ended.error?.hint).toContain("another id than fix");
    const free = await run(workflow("Other", agent("z", asking)), "r2");
    expect(free.outputs.text).not.toContain("PEACH");
  });

  test("keeps its own session from that workflow", async () => {
    await run(workflow("Other", agent("z", "remember PLUM")), "fix");
    const scoped = agent("{ name: z, scope: workflow }", asking);
    const ended = await run(workflow("Fix", scoped), "r1");
    expect(ended).toMatchObject(taken);
    expect(ended.error?.hint).toContain("rename the workflow");
    const forked = workflow(
      "Fix",
      `{ agent: scripted, fork: { name: z, scope: workflow }, prompt: hi }`,
    );
    expect(await run(forked, "r2")).toMatchObject(taken);
  });

  test("may have its own workflow's name, and what it is handed is meant", async () => {
    await run(workflow("Fix", remembering), "r1");
    const scoped = workflow("Fix", agent("{ name: z, scope: workflow }", asking));
    const named = await run(scoped, "fix");
    expect(named.outputs.text).toContain("PEACH");
    expect((await run(scoped, "r2")).outputs.text).toContain("PEACH");
    await run(workflow("Other", agent("y", "remember PLUM")), "other");
    const handed = `
name: Third
inputs: { key: string }
steps:
  s: { agent: scripted, inputs: { sessionId: inputs.key }, prompt: "${asking}" }
outputs: { text: s.output }
`;
    const third = await run(handed, "r3", { key: "wf:other:agent:y" });
    expect(third.outputs.text).toContain("PLUM");
  });
});
