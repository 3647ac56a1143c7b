/** How often a turn uses the store: on a network every call is a round trip, and every statement may be one. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "@reprise/core/conversation/message";
import type { SessionKey } from "@reprise/core/session/key";
import type { TurnOpening } from "@reprise/store/contract/turns";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { countStatements, type Statements } from "../../../../test/statements.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openEngine } from "../open-reprise.ts";

type Opened = Awaited<ReturnType<typeof openEngine>>;

const key = "feature-42";
let folder: string;
let engine: Opened["engine"];
let reprise: Opened["reprise"];
let calls: string[] = [];
let statements: Statements;

beforeEach(async () => {
  folder = temporaryFolder("calls");
  ({ engine, reprise } = await openEngine({
    home: join(folder, "home"),
    cwd: folder,
    wrap: {
      store: (store) =>
        new Proxy(store, {
          get(target, verb) {
            const method = Reflect.get(target, verb);
            // A timer writes it, however much the machine has to do meanwhile.
            if (verb === "beat") return async () => {};
            return (...input: unknown[]) => {
              calls.push(String(verb));
              return Reflect.apply(method, target, input);
            };
          },
        }),
    },
  }));
  const settings = { home: join(folder, "agent") };
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
  statements = countStatements();
});

afterEach(async () => {
  await reprise.close();
  rmSync(folder, { recursive: true });
});

/** Sends a prompt; returns the calls and the number of statements. */
async function counted(prompt: string) {
  calls = [];
  statements.count = 0;
  const { turn, decision } = await reprise.sessions.send({ key, agent: "coder", prompt });
  expect(turn.status).toBe("done");
  return { outcome: decision?.outcome, calls, statements: statements.count };
}

test("K3: a turn makes at most 6 calls to its store, and reads nothing of its own again", async () => {
  expect(await counted("remember PLUM-1")).toMatchObject({
    outcome: "blank",
    // The secret of a store is made by its first turn, and read once by every process.
    calls: ["findAgent", "readSecret", "recordSecret", "beginTurn", "recordLaunch", "finishTurn"],
  });
  const resumed = await counted("what did I ask you to remember?");
  expect(resumed).toMatchObject({
    outcome: "resume",
    calls: ["findAgent", "beginTurn", "recordLaunch", "finishTurn"],
  });
  expect(resumed.calls.length).toBeLessThanOrEqual(6);
});

test("K3: a restored history costs a decision, a restoration and a second look", async () => {
  await counted("remember PLUM-1");
  rmSync(join(folder, "agent", "sessions"), { recursive: true });
  expect(await counted("what did I ask you to remember?")).toMatchObject({
    outcome: "resume",
    calls: [
      "findAgent",
      "beginTurn",
      "readCheckpoints",
      "recordDecision",
      "recordRestore",
      "recordLaunch",
      "load",
      "finishTurn",
    ],
  });
});

test("K3: a function of a run costs at most 1.2 calls to its store on average", async () => {
  const count = 50;
  const names = Array.from({ length: count }, (_, index) => `f${index}`);
  const steps = names.map((name, index) => [
    name,
    {
      function: "return { number: inputs.number + 1 };",
      returns: { number: "number" },
      inputs: { number: index === 0 ? "inputs.number" : `f${index - 1}.number` },
    },
  ]);
  const source = JSON.stringify({
    name: "chain",
    inputs: { number: "number" },
    outputs: { number: `${names.at(-1)}.number` },
    steps: Object.fromEntries(steps),
  });
  calls = [];
  const run = await reprise.runs.start({ source, inputs: { number: 0 } });
  expect(run).toMatchObject({ status: "done", outputs: { number: count } });
  // It also looks for a cancellation, at most every 100 ms and only when something was committed.
  const looks = calls.filter((call) => call === "changes" || call === "readRun");
  expect((calls.length - looks.length) / count).toBeLessThanOrEqual(1.2);
});

describe("K3: the statements of a resumed turn do not grow with", () => {
  test.each([1, 300])("%i open turns and sessions", async (size) => {
    await counted("remember PLUM-1");
    const { statements: alone } = await counted("again");
    const others = Array.from({ length: size }, async (_, number) => {
      const other = `other-${number}`;
      await engine.store.beginTurn(opening(`${other}-running`, other));
      await engine.store.openTurn(opening(`${other}-queued`, other));
    });
    await Promise.all(others);
    expect((await counted("once more")).statements).toBeLessThanOrEqual(alone);
  });

  test.each([1, 100, 1000])("%i messages", async (size) => {
    await counted("remember PLUM-1");
    const { statements: alone } = await counted("again");
    const at = engine.now();
    const { turn } = await engine.store.beginTurn(opening("long", key));
    const messages = Array.from(
      { length: size },
      (_, number): Message => ({
        id: `m${number}`,
        role: number % 2 === 0 ? "user" : "assistant",
        agent: "coder",
        provider: "scripted",
        turn: turn.id,
        text: "…",
        digest: "…",
        origin: "turn",
        opening: false,
        at,
      }),
    );
    await engine.store.finishTurn({
      ...{
        turn: turn.id,
        token: turn.token,
        status: "done",
        output: null,
        error: null,
        usage: null,
      },
      ...{ notices: [], asked: null, attempt: null, pin: null, retire: null, checkpoint: null },
      messages,
      at,
    });
    const { statements: reseeded } = await counted("after a long conversation");
    expect(reseeded).toBeLessThan(alone + 20);
    expect((await counted("once more")).statements).toBeLessThanOrEqual(alone);
  });
});

function opening(id: string, of: string): TurnOpening {
  return {
    id,
    provider: "scripted",
    busy: "wait",
    owner: engine.owner,
    durability: "buffered",
    at: engine.now(),
    request: {
      ...{ key: of as SessionKey, agent: "coder", prompt: "…", surface: "direct" },
      ...{ mode: null, continuity: null, folder: null, cwd: null, model: null },
      ...{ instructions: null, channel: null, timeout: null, outputSchema: null },
      ...{ finishes: false, origin: null },
    },
  };
}
