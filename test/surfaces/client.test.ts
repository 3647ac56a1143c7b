/** The client against a server on a real socket: everything as with the library, also when the connection breaks. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@reprise/client/connect";
import type { EventView, Progress, Reprise } from "@reprise/core/api/reprise";
import {
  BusyError,
  DeniedError,
  NotFoundError,
  TerminalError,
  UsageError,
} from "@reprise/core/errors/errors";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Served, serve, token } from "./served.ts";

const key = "wf:42:agent:coder";
let folder: string;
let server: Served;
let reprise: Reprise;

const gate = `
name: gated
steps:
  ask: { gate: { title: "Continue?" } }
  say: { needs: ask, shell: echo said }
`;

beforeEach(async () => {
  folder = temporaryFolder("client");
  const rules = [
    { when: { prompt: "hang" }, do: ["model", { touch: "hanging" }, "hang"] },
    { when: { prompt: "choose" }, times: 1, do: [{ ask: "Which database?" }] },
    { when: { prompt: "held" }, do: ["model", { "wait-for": "released" }, "answer"] },
  ];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  server = await serve({ home: join(folder, "home"), cwd: folder });
  reprise = await server.connect();
  const settings = { script: join(folder, "script.json"), home: join(folder, "agent") };
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
});

afterEach(async () => {
  await reprise.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

test("calls give what the library gives", async () => {
  const sent = await reprise.sessions.send({ key, agent: "coder", prompt: "remember PLUM-1" });
  expect(sent.decision?.outcome).toBe("blank");
  const local = server.reprise;
  expect(await local.turns.why(key)).toEqual(sent);
  expect(await reprise.turns.why(key)).toEqual(sent);
  expect(await reprise.sessions.list()).toEqual(await local.sessions.list());
  expect(await reprise.sessions.show(key)).toEqual(await local.sessions.show(key));
  expect(await reprise.sessions.explain({ key })).toEqual(await local.sessions.explain({ key }));
  expect(await reprise.sessions.verify(key)).toEqual(await local.sessions.verify(key));
  const set = { name: "coder", model: "large", folder: null, settings: { instructions: null } };
  const { notices, ...agent } = await reprise.agents.set(set);
  expect(agent).toEqual(await local.agents.show("coder"));
  expect(notices).toEqual((await local.agents.set({ name: "coder" })).notices);
  await local.agents.createClass({ name: "reviewer", provider: "scripted", model: "small" });
  const changed = await reprise.agents.setClass({ ...set, name: "reviewer" });
  expect(changed).toEqual(await local.agents.showClass("reviewer"));
  expect(changed).toMatchObject({ model: "large", settings: {} });
  expect(await reprise.agents.list()).toEqual(await local.agents.list());
  expect(await reprise.config()).toEqual(await local.config());
  expect(await reprise.usage({ key })).toEqual(await local.usage({ key }));
  expect(await reprise.runs.plan({ source: gate })).toEqual(
    await local.runs.plan({ source: gate }),
  );
});

test("a session's bundle goes out and comes back under another key", async () => {
  await reprise.sessions.send({ key, agent: "coder", prompt: "remember PLUM-1" });
  const bundle = await reprise.sessions.export({ key });
  expect(await reprise.sessions.purge(key)).toBeUndefined();
  expect(await reprise.sessions.import({ bundle, key: "copy" })).toMatchObject({ key: "copy" });
  const asked = { key: "copy", prompt: "what did I ask you to remember?" };
  expect(await reprise.sessions.send(asked)).toMatchObject({ output: "PLUM-1" });
});

test("errors are those of the library", async () => {
  const caught = (call: Promise<unknown>) =>
    call.then(
      () => null,
      (error) => error,
    );
  const compare = async (call: (from: Reprise) => Promise<unknown>, Class: unknown) => {
    const [local, remote] = [await caught(call(server.reprise)), await caught(call(reprise))];
    expect(remote).toBeInstanceOf(Class);
    expect(remote.view()).toEqual(local.view());
  };
  await compare((from) => from.sessions.send({ key, prompt: "no agent" }), UsageError);
  await compare((from) => from.agents.show("ghost"), NotFoundError);
  await compare((from) => from.agents.set({ name: "ghost", model: "large" }), NotFoundError);
  await compare((from) => from.agents.setClass({ name: "none", model: "large" }), NotFoundError);
  await compare((from) => from.runs.start({ source: "name: x" }), UsageError);
  await reprise.sessions.send({ key, agent: "coder", prompt: "choose" });
  await compare((from) => from.sessions.send({ key, prompt: "x", busy: "fail" }), BusyError);
  const run = await reprise.runs.start({ source: gate });
  const [item] = await reprise.inbox.list({ run: run.id });
  await reprise.inbox.answer({ item: item!.id, choice: "approve", by: "ann" });
  await compare(
    (from) => from.inbox.answer({ item: item!.id, choice: "reject", by: "ann" }),
    TerminalError,
  );
  const stranger = await server.connect({ token: "not-a-token" });
  await expect(stranger.sessions.list()).rejects.toBeInstanceOf(DeniedError);
  await expect(reprise.turns.why("..")).rejects.toBeInstanceOf(UsageError);
  await expect(reprise.runs.recover()).rejects.toMatchObject({ code: "not-over-http" });
  await expect(reprise.sessions.open(key)).rejects.toMatchObject({ code: "not-over-http" });
});

test("a turn is walked through and awaited", async () => {
  await reprise.sessions.send({ key, agent: "coder", prompt: "remember PLUM-1" });
  const turn = reprise.session(key).send("what did I ask you to remember?");
  const steps: Progress[] = [];
  for await (const step of turn) steps.push(step);
  expect(steps).toMatchObject([
    { type: "decided", decision: { outcome: "resume", reason: expect.any(String) } },
    { type: "launched", attempt: 1 },
    { type: "text", text: "PLUM-1" },
  ]);
  expect(await turn).toMatchObject({ turn: { status: "done" }, output: "PLUM-1" });
});

test("an abort cancels the turn and the run", async () => {
  const stop = new AbortController();
  const cancelled = await reprise.sessions.send(
    { key, agent: "coder", prompt: "hang" },
    {
      signal: stop.signal,
      onProgress: ({ type }) => type === "launched" && stop.abort(),
    },
  );
  expect(cancelled).toMatchObject({ turn: { status: "cancelled" }, error: { by: "ann" } });
  expect(await server.reprise.turns.why(key)).toEqual(cancelled);

  const stopRun = new AbortController();
  const run = await reprise.runs.start(
    { source: "name: slow\nsteps:\n  wait: { shell: sleep 1000 }\n" },
    { signal: stopRun.signal, onStarted: () => stopRun.abort() },
  );
  expect(run.status).toBe("cancelled");
});

test("a caller that stops waiting gets the present state, and the work continues", async () => {
  const leave = new AbortController();
  const left = await reprise.sessions.send(
    { key, agent: "coder", prompt: "held" },
    { leave: leave.signal, onOpened: () => leave.abort() },
  );
  expect(["queued", "running"]).toContain(left.turn.status);
  writeFileSync(join(folder, "released"), "");
  const next = await reprise.sessions.send({ key, prompt: "echo next" });
  expect(next.turn).toMatchObject({ seq: left.turn.seq + 1, status: "done" });
  expect((await reprise.turns.why(left.turn.id)).turn.status).toBe("done");
});

test("a repeated answer is reported as such, while what waited for it continues", async () => {
  const source = `
name: slow
steps:
  ask: { gate: { title: "Continue?" } }
  wait: { needs: ask, shell: "while [ ! -e ${folder}/released ]; do sleep 0.05; done" }
`;
  const { id: run, waitsFor } = await reprise.runs.start({ source });
  const answer = { item: waitsFor[0]!, choice: "approve", by: "ann" };
  const reported: boolean[] = [];
  const options = {
    continue: false,
    onAnswered: (_: string, given: boolean) => reported.push(given),
  };
  const first = await reprise.inbox.answer(answer, options);
  expect(first).toMatchObject({ given: true, run: { id: run, status: "running" } });
  // Said again by a call of its own, whose work is that of the first.
  const again = await reprise.inbox.answer(answer, options);
  expect(again).toMatchObject({ given: false, run: { id: run, status: "running" } });
  expect(reported).toEqual([true, false]);
  writeFileSync(join(folder, "released"), "");
  expect(await reprise.runs.continue(run)).toMatchObject({ status: "done" });
  expect(await reprise.inbox.answer(answer, options)).toMatchObject({ given: false });
});

test("K1: the earlier names of `runs.continue` and `continue: false` still work", async () => {
  const source =
    "name: gated\nsteps:\n  ask: { gate: Ship it? }\n  ship: { needs: ask, shell: echo shipped }\n";
  for (const each of [reprise, server.reprise]) {
    const { id, waitsFor } = await each.runs.start({ source });
    const answer = { item: waitsFor[0]!, choice: "approve", by: "ann" };
    await each.inbox.answer(answer, { carry: false });
    expect(await each.runs.carryOn(id)).toMatchObject({ status: "done" });
  }
});

test("a connection that breaks after the server has begun does not begin it twice", async () => {
  let broken = 0;
  const breaking = await server.connect({
    fetch: async (...request) => {
      const response = await fetch(...request);
      const isTurn = String(request[0]).includes("/turns?");
      if (!isTurn || broken > 1) return response;
      broken += 1;
      await response.body?.cancel();
      throw new TypeError("the connection broke");
    },
  });
  const sent = await breaking.sessions.send(
    { key, agent: "coder", prompt: "remember PLUM-1" },
    { onOpened: () => {} },
  );
  expect(broken).toBe(2);
  expect(sent).toMatchObject({ turn: { seq: 1, status: "done" } });
  expect((await reprise.sessions.show(key)).turns).toBe(1);
});

test("the client finds a restarted server: the turn continues, and each event comes once", async () => {
  const watching = new AbortController();
  const seen: EventView[] = [];
  const { promise: finished, resolve } = Promise.withResolvers<void>();
  const watched = (async () => {
    for await (const event of reprise.events({ signal: watching.signal })) {
      seen.push(event);
      if (event.type === "turn.finished") resolve();
    }
  })();
  const opened = Promise.withResolvers<void>();
  const sending = reprise.sessions.send(
    { key, agent: "coder", prompt: "held" },
    { onProgress: ({ type }) => type === "launched" && opened.resolve() },
  );
  await opened.promise;
  const { port } = server;
  await server.close();
  server = await serve({ home: join(folder, "home"), cwd: folder }, port);
  writeFileSync(join(folder, "released"), "");
  const sent = await Promise.race([
    sending,
    server.reprise.sessions.send({ key, prompt: "echo next" }).then(() => sending),
  ]);
  expect(sent).toMatchObject({ turn: { seq: 1, status: "done" } });
  await finished;
  watching.abort();
  await watched;
  const all: number[] = [];
  for await (const { seq } of server.reprise.events({ signal: until(all, seen.at(-1)!.seq) }))
    all.push(seq);
  expect(seen.map(({ seq }) => seq)).toEqual(all.slice(0, seen.length));
});

test("the events of a run, to its end or to the present", async () => {
  const run = await reprise.runs.start({ source: gate });
  const types = async (events: AsyncIterable<EventView>) => {
    const all: string[] = [];
    for await (const { type } of events) all.push(type);
    return all;
  };
  const soFar = await types(reprise.runs.events(run.id, { follow: false }));
  expect(soFar).toEqual(await types(server.reprise.runs.events(run.id, { follow: false })));
  const following = types(reprise.runs.events(run.id));
  const [item] = await reprise.inbox.list();
  const answered = await reprise.inbox.answer({ item: item!.id, choice: "approve", by: "ann" });
  expect(answered).toMatchObject({ given: true, run: { status: "done" } });
  expect(await following).toEqual(await types(server.reprise.runs.events(run.id)));
});

test("no server at the address, or another program", async () => {
  const page = async () => new Response("<html>");
  await expect(server.connect({ fetch: page })).rejects.toMatchObject({ code: "not-reprise" });
  await server.close();
  await expect(connect(server.url, { token })).rejects.toMatchObject({ code: "unreachable" });
  server = await serve({ home: join(folder, "home"), cwd: folder });
});

/** Aborts when the list has that number. */
function until(list: number[], seq: number): AbortSignal {
  const stop = new AbortController();
  const push = list.push.bind(list);
  list.push = (...numbers) => {
    if (numbers.includes(seq)) stop.abort();
    return push(...numbers);
  };
  return stop.signal;
}
