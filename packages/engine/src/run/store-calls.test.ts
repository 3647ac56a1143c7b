/** How often a function of a run uses the store: on a network every call is a round trip, and every statement may be one. */

import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@reprise/store/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { countStatements, type Statements } from "../../../../test/statements.ts";
import {
  addMessages,
  addOpenTurns,
  addRuns,
  countingStore,
  openConnections,
} from "../../../../test/store-calls.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openEngine } from "../open-reprise.ts";

type Opened = Awaited<ReturnType<typeof openEngine>>;

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
    wrap: { store: (store) => withoutChanges(countingStore(store, calls)) },
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

/** The owner of a run waits for what others write, which depends on time; here they write nothing. */
function withoutChanges(store: Store): Store {
  return {
    ...store,
    async changes(since, signal) {
      if (!signal.aborted) await once(signal, "abort");
      return since;
    },
  };
}

/** Runs a chain of functions; returns the numbers of calls and statements. */
async function counted(length: number) {
  const names = Array.from({ length }, (_, index) => `f${index}`);
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
  calls.length = 0;
  statements.count = 0;
  const run = await reprise.runs.start({ source, inputs: { number: 0 } });
  expect(run).toMatchObject({ status: "done", outputs: { number: length } });
  return { calls: calls.length, statements: statements.count };
}

test.each([10, 50])(
  "K3: each of %i functions in a chain costs at most 1.2 calls on average",
  async (length) => {
    expect((await counted(length)).calls / length).toBeLessThanOrEqual(1.2);
  },
);

describe("K3: the calls and statements of a function do not grow with", () => {
  test("those before it in its run", async () => {
    const [ten, twenty, forty] = [await counted(10), await counted(20), await counted(40)];
    for (const what of ["calls", "statements"] as const)
      expect(forty[what] - twenty[what]).toBeLessThanOrEqual(2 * (twenty[what] - ten[what]));
  });

  test.each([1, 300])("%i open turns and sessions", async (size) => {
    await expectSame(() => addOpenTurns(engine, size));
  });

  test.each([1, 1000])("%i messages", async (size) => {
    await expectSame(() => addMessages(engine, "feature-42", size));
  });

  test.each([1, 300])("%i other runs", async (size) => {
    await expectSame(() => addRuns(engine, size));
  });
});

async function expectSame(add: () => Promise<void>): Promise<void> {
  await counted(10);
  const alone = await counted(10);
  await add();
  expect(await counted(10)).toEqual(alone);
}
