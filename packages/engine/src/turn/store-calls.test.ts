/** How often a turn uses the store: on a network every call is a round trip, and every statement may be one. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { countStatements, type Statements } from "../../../../test/statements.ts";
import {
  addMessages,
  addOpenTurns,
  countingStore,
  openConnections,
} from "../../../../test/store-calls.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openEngine } from "../open-reprise.ts";

type Opened = Awaited<ReturnType<typeof openEngine>>;

const key = "feature-42";
let folder: string;
let engine: Opened["engine"];
let reprise: Opened["reprise"];
const calls: string[] = [];
let statements: Statements;

beforeEach(async () => {
  folder = temporaryFolder("calls");
  ({ engine, reprise } = await openEngine({
    home: join(folder, "home"),
    cwd: folder,
    wrap: {
      store: (store) => countingStore(store, calls),
    },
  }));
  const settings = { home: join(folder, "agent") };
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
  await openConnections(engine.store);
  statements = countStatements();
});

afterEach(async () => {
  await reprise.close();
  rmSync(folder, { recursive: true });
});

/** Sends a prompt; returns the calls, and the numbers of statements and of round trips. */
async function counted(prompt: string) {
  calls.length = 0;
  statements.count = 0;
  statements.trips = 0;
  const { turn, decision } = await reprise.sessions.send({ key, agent: "coder", prompt });
  expect(turn.status).toBe("done");
  return { outcome: decision?.outcome, calls: [...calls], ...statements };
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
  // It counts on either store.
  expect(resumed.count).toBeGreaterThan(resumed.calls.length);
  // It finds the agent, and each of three writes reads, then writes. SQLite needs no trips.
  expect(resumed.trips).toBeLessThanOrEqual(1 + 3 * 2);
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
  test.each([1, 300])("%i open turns and sessions", async (size) => {
    await counted("remember PLUM-1");
    const { count: alone } = await counted("again");
    await addOpenTurns(engine, size);
    expect((await counted("once more")).count).toBeLessThanOrEqual(alone);
  });

  test.each([1, 100, 1000])("%i messages", async (size) => {
    await counted("remember PLUM-1");
    const { count: alone } = await counted("again");
    await addMessages(engine, key, size);
    const { count: reseeded } = await counted("after a long conversation");
    expect(reseeded).toBeLessThan(alone + 20);
    expect((await counted("once more")).count).toBeLessThanOrEqual(alone);
  });
});
