/** Long work continues when its client disconnects, is done once per Idempotency-Key, and can be waited for. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InFlight } from "./in-flight.ts";
import { TestApp, tell } from "./test-app.ts";

let server: TestApp;

const rules = [
  { when: { prompt: "slow" }, do: ["session", { "wait-for": "go" }] },
  { when: { prompt: "choose" }, do: [{ ask: "Which colour?" }] },
];
const gate = "name: gate\nsteps:\n  approve: { gate: Ship it? }\n";
const slowRun =
  "name: slow\nsteps:\n  work:\n    shell: 'until [ -e go ]; do sleep 0.02; done; echo done'\n";

beforeEach(async () => {
  server = await TestApp.open();
  await server.createCoder(rules);
});

afterEach(async () => {
  letGo();
  await server.close();
});

function letGo(): void {
  writeFileSync(join(server.folder, "go"), "");
}

/** How often the agent's model was asked. */
function launches(): number {
  const ledger = readFileSync(join(server.folder, "agent", "ledger.jsonl"), "utf8");
  return ledger.split("\n").filter((line) => line.includes('"event":"model"')).length;
}

const path = "/v1/sessions/s1/turns";
const slow = { agent: "coder", prompt: "slow" };
const now = { query: { wait: "0" } };

describe("a turn", () => {
  test("is accepted at once, continues, and its result is where the answer says", async () => {
    const reply = await server.ask("POST", path, slow, now);
    expect(reply.status).toBe(202);
    const { accepted, at } = reply.body;
    expect([at, reply.headers.get("location")]).toEqual([
      `/v1/turns/${accepted}`,
      `/v1/turns/${accepted}`,
    ]);
    const running = await server.ask("GET", at);
    expect(running.body.turn).toMatchObject({ id: accepted });
    expect(["queued", "running"]).toContain(running.body.turn.status);
    const waiting = server.ask("GET", at, undefined, { query: { wait: "60" } });
    letGo();
    expect((await waiting).body).toMatchObject({ turn: { id: accepted, status: "done" } });
  });

  test("that cannot be started is refused, however short the client waits", async () => {
    const reply = await server.ask("POST", path, { ...slow, agent: "missing" }, now);
    expect([reply.status, reply.body.code]).toEqual([404, "no-agent"]);
  });

  test("is waited for until its end unless the client gives a time", async () => {
    letGo();
    const reply = await server.ask("POST", path, slow);
    expect([reply.status, reply.body.turn.status]).toEqual([200, "done"]);
  });

  test("continues when the client disconnects", async () => {
    const leaving = new AbortController();
    const asked = server.app.request(
      new Request(`http://localhost${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
        body: JSON.stringify(slow),
        signal: leaving.signal,
      }),
    );
    while ((await server.reprise.sessions.list()).length === 0) await new Promise(setImmediate);
    leaving.abort();
    letGo();
    expect((await asked).status).toBe(200);
    const turn = await server.ask("GET", "/v1/turns/s1", undefined, { query: { wait: "60" } });
    expect(turn.body.turn.status).toBe("done");
  });

  test("is left to the next server when this one stops, and its agent keeps working", async () => {
    const asked = server.request("POST", path, slow, { headers: { "idempotency-key": "k1" } });
    const ledger = join(server.folder, "agent", "ledger.jsonl");
    for (;;) {
      await new Promise(setImmediate);
      try {
        if (readFileSync(ledger, "utf8").includes('"event":"start"')) break;
      } catch {}
    }
    await server.stop();
    const left = await tell(await asked);
    expect(left.status).toBe(202);
    const refused = await server.ask("GET", "/v1/agents");
    expect([refused.status, refused.body.code]).toEqual([503, "stopping"]);

    await server.start();
    const repeated = server.ask("POST", path, slow, { headers: { "idempotency-key": "k1" } });
    letGo();
    // Continue the turn, as a server does in the background.
    await server.reprise.sessions.send({ key: "s1", prompt: "echo next" });
    const reply = await repeated;
    expect([reply.status, reply.body.turn.id]).toEqual([200, left.body.accepted]);
    expect(reply.body.turn.status).toBe("done");
    expect(launches()).toBe(2);
  });
});

describe("a run", () => {
  test("is accepted, shown, and waited for", async () => {
    const reply = await server.ask("POST", "/v1/runs", { source: slowRun }, now);
    expect(reply.status).toBe(202);
    const { at } = reply.body;
    expect((await server.ask("GET", at)).body.status).toBe("running");
    const waiting = server.ask("GET", at, undefined, { query: { wait: "60" } });
    letGo();
    expect((await waiting).body.status).toBe("done");
  });

  test("with an invalid workflow is refused, however short the client waits", async () => {
    const reply = await server.ask("POST", "/v1/runs", { source: "steps: 1" }, now);
    expect([reply.status, reply.body.code]).toEqual([400, "bad-workflow"]);
  });

  test("can be waited for until a gate opens", async () => {
    const { body } = await server.ask("POST", "/v1/runs", { source: gate });
    const item = `/v1/inbox/${body.waitsFor[0]}`;
    const open = await server.ask("GET", item, undefined, { query: { wait: "0.01" } });
    expect(open.body.resolution).toBeNull();
    const waiting = server.ask("GET", item, undefined, { query: { wait: "60" } });
    const answered = await server.ask("POST", `${item}/answer`, { choice: "approve" }, now);
    expect([200, 202]).toContain(answered.status);
    expect((await waiting).body.resolution).toMatchObject({ choice: "approve", by: "owner" });
  });
});

describe("with an Idempotency-Key", () => {
  const key = (name: string) => ({ headers: { "idempotency-key": name } });

  test("the same call is done once and gets the same answer", async () => {
    const prompt = { agent: "coder", prompt: "remember PLUM" };
    const first = await server.ask("POST", path, prompt, key("a"));
    const second = await server.ask("POST", path, prompt, key("a"));
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(launches()).toBe(1);
    const third = await server.ask("POST", path, prompt, key("b"));
    expect(third.body.turn.seq).toBe(2);
  });

  test("two calls at once are one", async () => {
    const both = [1, 2].map(() => server.ask("POST", path, slow, key("a")));
    const short = await server.ask("POST", path, slow, { ...key("a"), ...now });
    expect(short.status).toBe(202);
    letGo();
    const [one, other] = await Promise.all(both);
    expect(one?.body).toEqual(other?.body);
    expect(one?.body.turn).toMatchObject({ id: short.body.accepted, status: "done" });
    expect(launches()).toBe(1);
  });

  test("another call is refused, also while the first is in flight", async () => {
    const running = server.ask("POST", path, slow, key("a"));
    const early = await server.ask("POST", path, { ...slow, prompt: "other" }, key("a"));
    letGo();
    await running;
    const late = await server.ask("POST", "/v1/prune", {}, key("a"));
    for (const { status, body } of [early, late])
      expect([status, body.code]).toEqual([422, "other-call"]);
    expect(launches()).toBe(1);
  });

  test("work that a dead process had accepted but not started is started under the same id", async () => {
    const ids: (string | undefined)[] = [];
    const dead = die((reprise) => ({
      ...reprise,
      sessions: {
        ...reprise.sessions,
        send: (_, options) => {
          ids.push(options?.id);
          return new Promise(() => {});
        },
      },
    }));
    const prompt = { agent: "coder", prompt: "echo hello" };
    dead.request(path, prompt);
    while (ids.length === 0) await new Promise(setImmediate);
    const reply = await server.ask("POST", path, prompt, key("a"));
    expect(reply.body.turn).toMatchObject({ id: ids[0], status: "done" });
    expect(launches()).toBe(1);
  });

  test("work that a dead process had started is waited for, and not repeated", async () => {
    const parked = await server.ask("POST", path, { agent: "coder", prompt: "choose" });
    const place = `/v1/turns/${parked.body.turn.id}/answer`;
    const dead = die((reprise) => ({
      ...reprise,
      turns: {
        ...reprise.turns,
        answer: async (answer, options) => {
          await reprise.turns.answer(answer, options);
          return new Promise(() => {});
        },
      },
    }));
    dead.request(place, { text: "blue" });
    while ((await server.reprise.turns.why("s1")).turn.status !== "done")
      await new Promise(setImmediate);
    const reply = await server.ask("POST", place, { text: "blue" }, key("a"));
    expect(reply.body).toMatchObject({ turn: { id: parked.body.turn.id, status: "done" } });
    const same = await server.ask("POST", place, { text: "blue" }, key("b"));
    expect(same.body).toMatchObject({
      turn: { status: "done" },
      notices: [{ code: "answered-before" }],
    });
    const other = await server.ask("POST", place, { text: "red" }, key("c"));
    expect([other.status, other.body.code]).toEqual([409, "answered"]);
  });

  /** A second app that never answers, as if its process had died. */
  function die(wrap: (reprise: Reprise) => Reprise) {
    const app = server.build(wrap(server.reprise), new InFlight());
    return {
      request: (place: string, body: object) => {
        app.request(place, {
          method: "POST",
          headers: {
            authorization: `Bearer ${server.token}`,
            "content-type": "application/json",
            "idempotency-key": "a",
          },
          body: JSON.stringify(body),
        });
      },
    };
  }

  test("keys of different clients are independent", async () => {
    const [ann, bob] = await Promise.all(
      ["ann", "bob"].map((name) => server.tokenFor(name, "operator")),
    );
    const create = { name: "clerk", provider: "scripted" };
    const first = await server.ask("POST", "/v1/agents", create, { ...key("a"), token: ann! });
    const other = await server.ask("POST", "/v1/agents", create, { ...key("a"), token: bob! });
    expect([first.status, other.body.code]).toEqual([200, "agent-exists"]);
  });

  test("an error is kept only if it would occur again", async () => {
    const missing = await server.ask("POST", "/v1/sessions/none/archive", {}, key("a"));
    expect(missing.status).toBe(404);
    await server.reprise.sessions.send({ key: "none", agent: "coder", prompt: "echo" });
    expect((await server.ask("POST", "/v1/sessions/none/archive", {}, key("a"))).status).toBe(404);
    expect((await server.ask("POST", "/v1/sessions/none/archive", {}, key("b"))).status).toBe(200);
  });

  test("the key is forgotten after a day", async () => {
    const create = { name: "clerk", provider: "scripted" };
    expect((await server.ask("POST", "/v1/agents", create, key("a"))).status).toBe(200);
    const day = 24 * 60 * 60 * 1000;
    server.now = () => Date.now() + day - 60_000;
    expect((await server.ask("POST", "/v1/agents", create, key("a"))).status).toBe(200);
    server.now = () => Date.now() + day + 1000;
    const reply = await server.ask("POST", "/v1/agents", create, key("a"));
    expect(reply.body.code).toBe("agent-exists");
  });

  test("an answer is deleted with its session", async () => {
    const prompt = { agent: "coder", prompt: "echo SECRET" };
    await server.ask("POST", path, prompt, key("a"));
    await server.reprise.sessions.purge("s1");
    const again = await server.ask("POST", path, prompt, key("a"));
    expect(again.headers.get("idempotency-replayed")).toBeNull();
    expect(again.body.turn.seq).toBe(1);
  });
});

describe("other names", () => {
  test("forceFreshSession is a reseed, and sessionResumed reports the outcome", async () => {
    await server.ask("POST", path, { agent: "coder", prompt: "remember PLUM" });
    const fresh = await server.ask("POST", path, { prompt: "echo a", forceFreshSession: true });
    expect(fresh.body).toMatchObject({ decision: { outcome: "reseed" }, sessionResumed: false });
    const resumed = await server.ask("POST", path, { prompt: "echo b", forceFreshSession: false });
    expect(resumed.body).toMatchObject({ decision: { outcome: "resume" }, sessionResumed: true });
    const both = { prompt: "echo c", forceFreshSession: true, continuity: "blank" };
    expect((await server.ask("POST", path, both)).body.code).toBe("bad-input");
  });

  test.each(["/v1/turns", "/api/runs"])("%s/…/tool-result answers a turn", async (prefix) => {
    const { body } = await server.ask("POST", path, { agent: "coder", prompt: "choose" });
    const place = `${prefix}/${body.turn.id}/tool-result`;
    const other = await server.ask("POST", place, { toolUseId: "other", content: "blue" });
    expect([other.status, other.body.code]).toEqual([409, "other-question"]);
    const toolUseId = body.asked.question.id;
    const reply = await server.ask("POST", place, { toolUseId, content: "blue" });
    expect(reply.body.turn).toMatchObject({ id: body.turn.id, status: "done" });
    const log = await server.engine.store.readEvents({
      after: 0,
      limit: 100,
      stream: "session:s1",
    });
    expect(log.find(({ type }) => type === "turn.answered")?.data).toMatchObject({ by: "owner" });
  });
});

test("lists are read a page at a time", async () => {
  for (const key of ["a", "b", "c"])
    await server.reprise.sessions.send({ key, agent: "coder", prompt: "echo" });
  for (const id of ["r1", "r2", "r3"]) await server.reprise.runs.start({ source: gate, id });
  for (const prompt of ["echo 1", "echo 2", "echo 3"])
    await server.reprise.sessions.send({ key: "a:b", agent: "coder", prompt });
  for (const [list, field] of [
    ["/v1/sessions?limit=1", "key"],
    ["/v1/runs?limit=1&status=waiting", "id"],
    ["/v1/inbox?limit=1", "run"],
    ["/v1/inbox?limit=1&all=true", "run"],
    ["/v1/sessions/a:b/turns?limit=1", "prompt"],
  ] as const) {
    const seen: string[] = [];
    for (let next: string | undefined = list; next; ) {
      const { body, headers } = await server.ask("GET", next);
      seen.push(...body.map((row: Record<string, string>) => row[field]));
      next = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
    }
    const wanted = {
      key: ["a", "a:b", "b", "c"],
      run: ["r1", "r2", "r3"],
      id: ["r1", "r2", "r3"],
      prompt: ["echo 1", "echo 2", "echo 3"],
    };
    expect(seen.toSorted(), list).toEqual(wanted[field]);
  }
});
