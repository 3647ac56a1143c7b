import { rm } from "node:fs/promises";
import { join } from "node:path";
import { withMark } from "@reprise/providers/launch/process";
import { expect, test } from "vitest";
import { appears, until } from "../../../../../test/until.ts";
import { newId } from "../../engine.ts";
import { recoverEnded } from "../../turn/acquire.ts";
import { answerTurn } from "../../turn/answer.ts";
import { runAgent } from "./agent.ts";
import { dead, key, TestNode } from "./test-node.ts";

test("a node is one turn of its session, and its answer the output", async () => {
  await using node = await TestNode.open();
  const context = node.context();
  const end = await runAgent(context, node.work("echo hello"));
  expect(end).toEqual({
    type: "done",
    outputs: {
      output: "hello",
      sessionId: key,
      structuredOutput: null,
      success: true,
      error: null,
      exitCode: 0,
    },
    outcome: "blank",
    tokens: expect.any(Number),
  });
  const turn = await node.engine.store.readTurn(context.turns[0]!);
  expect(turn).toMatchObject({
    request: {
      key,
      surface: "node",
      folder: node.root,
      origin: { run: "r1", execution: "coder" },
    },
    attempts: [{ decision: { mode: "ephemeral", startupPrompt: "skip_intro", runFolder: "run" } }],
  });
  expect(node.prompts()).toEqual(["echo hello"]);
});

test("an existing session continues, and one of another name begins anew", async () => {
  await using node = await TestNode.open();
  await runAgent(node.context(), node.work("remember APPLE-739"));
  const recall = "what did I ask you to remember?";
  const next = await runAgent(node.context(), node.work(recall, {}, { how: "continue" }));
  expect(next).toMatchObject({ outcome: "resume", outputs: { output: "APPLE-739" } });
  const other = await runAgent(node.context(), node.work(recall, {}, { key: `${key}:2` }));
  expect(other).toMatchObject({ outcome: "blank" });
});

test("declared outputs have the answer; those of type json its value, if it is JSON", async () => {
  await using node = await TestNode.open();
  const port = (name: string, type: "string" | "json") => ({
    name,
    type,
    required: false,
    description: null,
  });
  const outputs = [port("code", "string"), port("data", "json")];
  const end = await runAgent(node.context(), node.work('echo {"a": [1]}', { outputs }));
  expect(end).toMatchObject({ outputs: { code: '{"a": [1]}', data: { a: [1] } } });
  const words = await runAgent(node.context(), node.work("echo as in [1]", { outputs }));
  expect(words).toMatchObject({ outputs: { code: "as in [1]", data: "as in [1]" } });
});

test("a turn that has ended is not repeated: its answer is taken", async () => {
  await using node = await TestNode.open();
  const context = node.context();
  const first = await runAgent(context, node.work("echo once"));
  const again = await runAgent({ ...context, recovered: true }, node.work("echo once"));
  expect(again).toEqual(first);
  expect(node.ledger("start")).toHaveLength(1);
});

test("a turn that was never opened is opened under its id", async () => {
  await using node = await TestNode.open();
  const context = node.context({ recovered: true });
  expect(await runAgent(context, node.work("echo late"))).toMatchObject({ type: "done" });
  expect(node.ledger("start")).toMatchObject([{ turn: context.turns[0] }]);
});

test("a turn that was queued by a dead process runs under its id", async () => {
  await using node = await TestNode.open();
  const context = node.context();
  const { store } = node.engine;
  await runAgent(node.context(), node.work("echo before"));
  const { request, provider } = (await store.listTurns({ key, limit: 1 }))[0]!;
  const id = context.turns[0]!;
  const opening = { id, request, provider, busy: "wait", owner: dead, at: 1 } as const;
  await store.openTurn(opening);
  // Opening the home leaves it to its run, and ends turns without a caller.
  const alone = { ...opening, id: newId(), request: { ...request, origin: null } };
  await store.openTurn(alone);
  await recoverEnded(node.engine);
  expect((await store.listOpenTurns({ limit: 99 })).map((turn) => turn.id)).toEqual([id]);
  expect(await runAgent(context, node.work("echo before"))).toMatchObject({ type: "done" });
  expect(node.ledger("start")).toHaveLength(2);
});

test("an agent that is left keeps running, and the next owner takes its answer", async () => {
  await using node = await TestNode.open();
  node.rules({ do: ["model", { touch: "reached" }, { "wait-for": "go-on" }] });
  const context = node.context();
  const leaving = runAgent(context, node.work("echo patience"));
  await appears(join(node.root, "reached"));
  node.leave.abort();
  expect(await leaving).toEqual({ type: "left" });

  node.leave = new AbortController();
  const taken = runAgent(
    { ...node.context(), turns: context.turns, recovered: true },
    node.work("echo patience"),
  );
  node.touch("go-on");
  expect(await taken).toMatchObject({ type: "done", outputs: { output: "patience" } });
  expect(node.ledger("start")).toHaveLength(1);
});

test("an agent that dies while it is watched has failed, and its session is named", async () => {
  await using node = await TestNode.open();
  node.rules({ do: ["model", "crash"] });
  expect(await runAgent(node.context(), node.work("echo on"))).toMatchObject({
    type: "failed",
    kind: "terminal",
    error: { code: "interrupted" },
    outputs: { sessionId: key, success: false, exitCode: 137 },
  });
});

test("an agent that died while its run had no owner was interrupted", async () => {
  await using node = await TestNode.open();
  node.rules({ do: ["model", { touch: "reached" }, { "wait-for": "go-on" }, "crash"] });
  const context = node.context();
  const leaving = runAgent(context, node.work("echo on"));
  await appears(join(node.root, "reached"));
  node.leave.abort();
  expect(await leaving).toEqual({ type: "left" });
  node.touch("go-on");

  node.leave = new AbortController();
  const again = { ...node.context(), turns: context.turns, recovered: true };
  expect(await runAgent(again, node.work("echo on"))).toMatchObject({
    type: "failed",
    kind: "interrupted",
    outputs: { sessionId: key, exitCode: 137 },
  });
});

for (const spool of [true, false])
  test(`S19: a node whose agent ${spool ? "was cut off after a tool" : "left no spool"} is asked to finish, and is not sent its prompt again`, async () => {
    await using node = await TestNode.open();
    node.rules(
      { when: { launch: 1 }, do: [{ tool: "ls" }, { touch: "reached" }, { "wait-for": "never" }] },
      { do: [] },
    );
    const context = node.context();
    const leaving = runAgent(context, node.work("echo on"));
    await appears(join(node.root, "reached"));
    node.leave.abort();
    expect(await leaving).toEqual({ type: "left" });
    const turn = context.turns[0]!;
    if (spool) for (const { pid } of withMark(turn)) process.kill(pid, "SIGKILL");
    else await rm(join(node.engine.home.path, "turns", turn), { recursive: true });

    node.leave = new AbortController();
    const again = { ...node.context(), turns: context.turns, recovered: true };
    expect(await runAgent(again, node.work("echo on"))).toMatchObject({ kind: "interrupted" });
    expect(withMark(turn)).toEqual([]);
    const next = await runAgent(node.context(), node.work("echo on"));
    expect(next).toMatchObject({ type: "done" });
    const prompts = node.prompts();
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toContain("Your previous turn was cut off. Finish it now");
    expect(prompts[1]?.split("\n").at(-1)).not.toBe("echo on");
  });

test("a cancel ends the processes of the turn", async () => {
  await using node = await TestNode.open();
  node.rules({ do: ["model", { touch: "reached" }, "hang"] });
  const context = node.context();
  const ending = runAgent(context, node.work("echo on"));
  await appears(join(node.root, "reached"));
  node.cancel.abort();
  expect(await ending).toMatchObject({ type: "failed", kind: "cancelled" });
  expect(withMark(context.turns[0]!)).toEqual([]);
});

test("what is cancelled before it began opens no turn", async () => {
  await using node = await TestNode.open();
  node.cancel.abort();
  const context = node.context();
  expect(await runAgent(context, node.work("echo on"))).toMatchObject({ kind: "cancelled" });
  expect(await node.engine.store.readTurn(context.turns[0]!)).toBeNull();
});

test.each([
  [
    "timed-out",
    ["model", "hang"],
    { timeout: 300 },
    { error: { hint: "Give the node a longer timeout; its session is kept." } },
  ],
  ["transient", [{ fail: { status: 503 } }], {}, {}],
  [
    "transient",
    [{ fail: { kind: "quota", status: 429, resetAt: 1_800_000_000_000 } }],
    {},
    { retryAt: 1_800_000_000_000 },
  ],
  ["terminal", [{ fail: { kind: "unknown" } }], {}, {}],
] as const)("a failure is %s: %j", async (kind, steps, more, expected) => {
  await using node = await TestNode.open();
  node.rules({ do: steps });
  expect(await runAgent(node.context(), node.work("echo on", more))).toMatchObject({
    type: "failed",
    kind,
    outputs: { sessionId: key, success: false, error: expect.any(String) },
    ...expected,
  });
});

test("what cannot be sent is a mistake of the workflow", async () => {
  await using node = await TestNode.open();
  expect(await runAgent(node.context(), node.work(" "))).toMatchObject({
    kind: "usage",
    error: { code: "empty-prompt" },
    outputs: { sessionId: key },
  });
});

test("a question makes the node wait, and its answer continues it", async () => {
  await using node = await TestNode.open();
  node.rules({ times: 1, do: [{ ask: "Which colour?" }] });
  const context = node.context();
  const [turn] = context.turns;
  expect(await runAgent(context, node.work("echo on"))).toEqual({ type: "waiting", turn });
  const recovered = { ...context, recovered: true };
  expect(await runAgent(recovered, node.work("echo on"))).toEqual({ type: "waiting", turn });
  await answerTurn(node.engine, { turn: turn!, text: "blue" });
  expect(await runAgent(recovered, node.work("echo on"))).toMatchObject({
    type: "done",
    outputs: { output: expect.stringContaining("blue") },
  });
});

test("a question of a cancelled run is taken back", async () => {
  await using node = await TestNode.open();
  node.rules({ do: [{ ask: "Which colour?" }] });
  const context = node.context();
  await runAgent(context, node.work("echo on"));
  node.cancel.abort();
  const end = await runAgent({ ...context, recovered: true }, node.work("echo on"));
  expect(end).toMatchObject({ kind: "cancelled" });
  expect(await node.engine.store.listOpenTurns({ limit: 99 })).toEqual([]);
});

test("a session in use is waited for, or not, as the node says", async () => {
  await using node = await TestNode.open();
  node.rules({ times: 1, do: ["model", { touch: "reached" }, { "wait-for": "go-on" }] });
  const first = runAgent(node.context(), node.work("echo first"));
  await appears(join(node.root, "reached"));
  const skipped = await runAgent(node.context(), node.work("echo second", { busy: "skip" }));
  expect(skipped).toMatchObject({ type: "failed", error: { code: "skipped" } });
  const refused = await runAgent(node.context(), node.work("echo third", { busy: "fail" }));
  expect(refused).toMatchObject({ type: "failed", error: { code: "busy" } });
  const patient = runAgent(node.context(), node.work("echo fourth", { busy: "queue" }));
  node.touch("go-on");
  expect(await first).toMatchObject({ outputs: { output: "first" } });
  expect(await patient).toMatchObject({ outcome: "resume", outputs: { output: "fourth" } });
});

test("a queued turn is released on leave", async () => {
  await using node = await TestNode.open();
  node.rules({ times: 1, do: ["model", { touch: "reached" }, { "wait-for": "go-on" }] });
  const first = runAgent(
    node.context({ leave: new AbortController().signal }),
    node.work("echo 1"),
  );
  await appears(join(node.root, "reached"));
  const context = node.context();
  const second = runAgent(context, node.work("echo 2"));
  await until(() => node.engine.store.readTurn(context.turns[0]!));
  node.leave.abort();
  expect(await second).toEqual({ type: "left" });
  node.leave = new AbortController();
  node.touch("go-on");
  await first;
  const again = { ...node.context(), turns: context.turns, recovered: true };
  expect(await runAgent(again, node.work("echo 2"))).toMatchObject({ outputs: { output: "2" } });
  expect(node.ledger("start")).toHaveLength(2);
});

const schema = {
  type: "object",
  properties: { verdict: { enum: ["good", "bad"] }, note: { type: "string" } },
  required: ["verdict"],
};

test("an answer that fits its schema is read, and its parts are outputs", async () => {
  await using node = await TestNode.open();
  const text = 'So: {"verdict": "good"}';
  const end = await runAgent(node.context(), node.work(`echo ${text}`, { outputSchema: schema }));
  expect(end).toMatchObject({
    type: "done",
    outputs: { output: text, structuredOutput: { verdict: "good" }, verdict: "good", note: null },
  });
  expect(node.prompts()[0]).toContain(JSON.stringify(schema));
  expect(node.notes).toEqual([]);
});

test("an answer that does not fit is asked for again in the same session", async () => {
  await using node = await TestNode.open();
  node.rules(
    { when: { launch: 1 }, do: [{ say: "Fine." }] },
    { when: { launch: 2 }, do: [{ say: '{"verdict": "fine"}' }] },
    { when: { launch: 3 }, do: [{ say: '{"verdict": "good", "note": "n"}' }] },
  );
  const context = node.context();
  const end = await runAgent(context, node.work("Judge it.", { outputSchema: schema }));
  expect(end).toMatchObject({
    type: "done",
    outcome: "blank",
    outputs: { verdict: "good", note: "n" },
  });
  const [first, second] = node.notes;
  expect([first, second]).toMatchObject([
    { type: "node.asked", execution: "coder", attempt: 1 },
    { type: "node.asked", execution: "coder", attempt: 1 },
  ]);
  expect(node.prompts()[1]).toContain("it contains no JSON");
  expect(node.prompts()[2]).toMatch(/verdict: .*"good"/);
  const sessions = new Set(node.ledger("model").map(({ session }) => session));
  expect([...sessions]).toHaveLength(1);
});

test("after two more questions it has failed", async () => {
  await using node = await TestNode.open();
  node.rules({ do: [{ say: "Fine." }] });
  expect(
    await runAgent(node.context(), node.work("Judge it.", { outputSchema: schema })),
  ).toMatchObject({
    type: "failed",
    kind: "terminal",
    error: { code: "bad-output" },
    outputs: { output: "Fine.", sessionId: key, structuredOutput: null },
  });
  expect(node.ledger("start")).toHaveLength(3);
});

test("V4: an answer that a pattern keeps from being checked fails the node, with what was said", async () => {
  await using node = await TestNode.open();
  const answer = JSON.stringify({ a: `${"a".repeat(60)}!` });
  node.rules({ do: [{ say: answer }] });
  const evil = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
  expect(await runAgent(node.context(), node.work("Say a.", { outputSchema: evil }))).toMatchObject(
    {
      type: "failed",
      kind: "terminal",
      error: { code: "check-timed-out" },
      outputs: { output: answer, sessionId: key, structuredOutput: null },
    },
  );
  expect(node.ledger("start")).toHaveLength(1);
});

test("after a process died before it asked again, the next owner asks the same", async () => {
  await using node = await TestNode.open();
  node.rules(
    { when: { launch: 1 }, do: [{ say: "Fine." }] },
    { when: { launch: 2 }, do: [{ say: '{"verdict": "bad"}' }] },
  );
  const turns = [newId()];
  const dies = async () => {
    throw new Error("killed");
  };
  const work = node.work("Judge it.", { outputSchema: schema });
  await runAgent({ ...node.context({ turns }), note: dies }, work);
  const both = [...turns, newId()];
  const end = await runAgent(node.context({ turns: both, recovered: true }), work);
  expect(end).toMatchObject({ type: "done", outputs: { verdict: "bad" } });
  expect(node.ledger("start")).toMatchObject(both.map((turn) => ({ turn })));
  expect(node.prompts()[1]).toContain("it contains no JSON");
});
