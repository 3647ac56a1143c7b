/** How often a turn uses the store: on a network every call is a round trip, and every statement may be one. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { StatementSync } from "node:sqlite";
import type { Message } from "@reprise/core/conversation/message";
import type { SessionKey } from "@reprise/core/session/key";
import type { TurnOpening } from "@reprise/store/contract/turns";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openEngine } from "../open-reprise.ts";

type Opened = Awaited<ReturnType<typeof openEngine>>;

const key = "feature-42";
let folder: string;
let engine: Opened["engine"];
let reprise: Opened["reprise"];
let calls: string[] = [];
let statements = 0;

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
  for (const method of ["get", "all", "run"] as const) {
    const original: (...input: never[]) => unknown = StatementSync.prototype[method];
    const counting = function (this: StatementSync, ...input: never[]) {
      statements += 1;
      return Reflect.apply(original, this, input);
    };
    vi.spyOn(StatementSync.prototype, method).mockImplementation(counting as never);
  }
});

afterEach(async () => {
  await reprise.close();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** Sends a prompt; returns the calls and the number of statements, without those of a beat. */
async function counted(prompt: string) {
  calls = [];
  statements = 0;
  const { turn, decision } = await reprise.sessions.send({ key, agent: "coder", prompt });
  expect(turn.status).toBe("done");
  return { outcome: decision?.outcome, calls, statements };
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

describe("K3: the statements of a resumed turn do not grow with", () => {
  const sizes = [1, 100, 1000];

  test.each(sizes)("%i open turns and sessions", async (size) => {
    await counted("remember PLUM-1");
    const { statements: alone } = await counted("again");
    for (let number = 0; number < size; number += 1) {
      const other = `other-${number}`;
      await engine.store.beginTurn(opening(`${other}-running`, other));
      await engine.store.openTurn(opening(`${other}-queued`, other));
    }
    expect((await counted("once more")).statements).toBeLessThanOrEqual(alone);
  });

  test.each(sizes)("%i messages", async (size) => {
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
