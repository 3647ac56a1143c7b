/** Calls every route over HTTP: the same arguments arrive at the library, and its own result comes back. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import { routes } from "@reprise/core/api/routes";
import { RepriseError } from "@reprise/core/errors/errors";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AppResponse, TestApp, testedRoute } from "./test-app.ts";

interface Seen {
  readonly method: string;
  readonly result: Promise<unknown>;
}

let seen: Seen[];
let test_: TestApp;

/** Records the library's calls and results. */
function watched(reprise: Reprise): Reprise {
  const watch = (target: object, prefix: string): object =>
    new Proxy(target, {
      get(_, name: string) {
        const value = Reflect.get(target, name);
        if (typeof value === "object") return watch(value, `${name}.`);
        return (...args: unknown[]) => {
          const result = value.apply(target, args);
          seen.push({ method: prefix + name, result });
          return result;
        };
      },
    });
  return watch(reprise, "") as Reprise;
}

beforeEach(async () => {
  seen = [];
  test_ = await TestApp.open(watched);
});

afterEach(() => test_.close());

const source = `
name: release
inputs: { what: string }
outputs: { said: work.output }
steps:
  work:
    agent: scripted
    session: coder
    prompt: "echo {{ inputs.what }}"
  approve: { needs: work, gate: Ship it? }
`;

test("every method of the table", async () => {
  const rules = [{ when: { prompt: "choose" }, do: [{ ask: "Which?" }] }];
  mkdirSync(join(test_.folder, "elsewhere"));
  writeFileSync(join(test_.folder, "script.json"), JSON.stringify({ rules }));
  const settings = { script: join(test_.folder, "script.json"), home: join(test_.folder, "agent") };
  const asked = new Set<string>();

  const ask = async (name: string, ...args: unknown[]): Promise<AppResponse> => {
    asked.add(name);
    seen = [];
    const reply = await test_.call(name, args);
    const call = seen.find(({ method }) => method === name);
    expect(call, name).toBeDefined();
    await call?.result.then(
      (result) => expectSame(name, reply, result),
      (error) => {
        if (!(error instanceof RepriseError)) throw error;
        const { message, ...view } = error.view();
        expect(reply.body, name).toMatchObject({ ...view, detail: message, status: reply.status });
        expect(reply.headers.get("content-type")).toBe("application/problem+json");
      },
    );
    return reply;
  };

  await ask("agents.createClass", { name: "reviewer", provider: "scripted" });
  await ask("agents.listClasses");
  await ask("agents.showClass", "reviewer");
  await ask("agents.setClass", { name: "reviewer", model: "large" });
  await ask("agents.create", { name: "coder", provider: "scripted", settings });
  await ask("agents.list");
  await ask("agents.show", "coder");
  await ask("agents.set", {
    name: "coder",
    model: "large",
    settings: { instructions: "Be brief." },
  });

  await ask("agents.providerSessions", { agent: "coder", limit: 5 });

  const first = await ask("sessions.send", {
    key: "wf:1",
    agent: "coder",
    prompt: "remember PLUM",
  });
  expect(first.body).toMatchObject({ turn: { status: "done" }, sessionResumed: false });
  const second = await ask("sessions.send", {
    key: "wf:1",
    prompt: "what did I ask you to remember?",
  });
  expect(second.body).toMatchObject({ output: "PLUM", sessionResumed: true });
  await ask("turns.why", first.body.turn.id);
  await ask("turns.list", { key: "wf:1", after: second.body.turn.id, limit: 5 });
  await ask("sessions.list", { agent: "coder", limit: 5 });
  await ask("sessions.count", { status: "done", ofRuns: true });
  await ask("sessions.show", "wf:1");
  await ask("sessions.explain", { key: "wf:1", continuity: "reseed" });
  await ask("sessions.verify", "wf:1");
  await ask("sessions.hold", { key: "wf:1", by: "ann", reason: "mine" });
  await ask("sessions.release", { key: "wf:1", by: "ann" });
  await ask("sessions.archive", "wf:1");
  await ask("sessions.revive", "wf:1");
  await ask("sessions.set", { key: "wf:1", settings: { onModelChange: "reseed" } });
  await ask("sessions.compact", { key: "wf:1", focus: "plums" });
  await ask("sessions.finish", { key: "wf:1" });
  await ask("sessions.fork", { key: "wf:1", newKey: "wf:2", at: "1" });
  await ask("sessions.move", { key: "wf:1", folder: join(test_.folder, "elsewhere") });
  await ask("sessions.adopt", { key: "wf:3", provider: "scripted", id: "none", agent: "coder" });
  await ask("sessions.prune", { enforce: false });

  const parked = await ask("sessions.send", { key: "wf:4", agent: "coder", prompt: "choose" });
  expect(parked.body.turn.status).toBe("waiting");
  await ask("inbox.list", { all: true });
  await ask("inbox.count", { all: true });
  await ask("inbox.show", parked.body.turn.id);
  await ask("turns.answer", { turn: parked.body.turn.id, text: "blue" });
  const again = await ask("sessions.send", { key: "wf:4", prompt: "choose again" });
  await ask("turns.cancel", again.body.turn.id);

  await ask("runs.validate", { source, strict: true });
  await ask("runs.plan", { source, inputs: { what: "hello" } });
  const run = await ask("runs.start", { source, inputs: { what: "hello" }, id: "r1" });
  expect(run.body).toMatchObject({ status: "waiting" });
  await ask("runs.list", { status: "waiting" });
  await ask("runs.count", { status: "waiting" });
  await ask("runs.show", "r1");
  await ask("runs.continue", "r1");
  await ask("runs.carryOn", "r1");
  const item = run.body.waitsFor[0];
  const answered = await ask("inbox.answer", { item, choice: "approve", by: "ann" });
  expect(answered.body).toMatchObject({ given: true, run: { status: "done" } });
  await ask("runs.rerun", { run: "r1", from: "approve" });
  await ask("runs.cancel", { run: "r1", by: "ann" });

  const token = await ask("tokens.create", { name: "ci", role: "viewer", expiresIn: 60_000 });
  expect(token.headers.get("cache-control")).toBe("no-store");
  await ask("tokens.rotate", { name: "ci", grace: 1000 });
  await ask("tokens.list");
  await ask("tokens.revoke", "ci");

  const typed = "0f5b1c1e-3a51-4d0c-9b8e-6f3f3c1f2a10";
  const sessions = join(test_.folder, "agent", "sessions");
  writeFileSync(join(sessions, `${typed}.jsonl`), '{"role":"user","text":"hello"}\n');
  await ask("protect.set", { on: true });
  const scanned = await ask("protect.scan", { agent: "coder", limit: 100 });
  expect(scanned.body).toMatchObject({ added: 1 });
  rmSync(join(sessions, `${typed}.jsonl`));
  await ask("protect.scan");
  await ask("protect.status");
  await ask("protect.list", { gone: true, limit: 3 });
  await ask("protect.restore", { id: typed });
  await ask("protect.forget", typed, { provider: "scripted" });

  await ask("doctor");
  await ask("providers");
  await ask("limits");
  await ask("config");
  await ask("usage", { key: "wf:1", limit: 3 });
  await ask("backup", "copy.backup");
  await ask("sessions.purge", "wf:2", { force: true });

  expect([...asked].sort()).toEqual(routes.map(({ name }) => name).sort());
  expect(test_.incidents).toEqual([]);
});

function expectSame(name: string, { status, body }: AppResponse, result: unknown): void {
  const { output } = testedRoute(name);
  if (output === null) {
    expect([status, body], name).toEqual([204, ""]);
    return;
  }
  expect(status, name).toBe(200);
  if (typeof result === "number") {
    expect(body, name).toBe(result);
    return;
  }
  const { sessionResumed: _, ...said } = Array.isArray(body) ? { all: body } : body;
  const wanted = JSON.parse(JSON.stringify(Array.isArray(result) ? { all: result } : result));
  expect(said, name).toEqual(wanted);
  // The library's own results match the schemas too.
  const checked = output().safeParse(result);
  expect(checked.success ? JSON.parse(JSON.stringify(checked.data)) : checked.error, name).toEqual(
    Array.isArray(result) ? wanted.all : wanted,
  );
}
