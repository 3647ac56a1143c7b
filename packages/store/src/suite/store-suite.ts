/** The suite that every implementation of the Store contract must pass. */

import { accessCases } from "./access-cases.ts";
import { agentCases } from "./agent-cases.ts";
import { changeCases } from "./change-cases.ts";
import { chaosCases } from "./chaos-cases.ts";
import { chaotic } from "./chaotic.ts";
import { eventCases } from "./event-cases.ts";
import type { Open } from "./fixture.ts";
import { homeCases } from "./home-cases.ts";
import { describe, setRunner } from "./runner.ts";
import { dueCases } from "./runs/due-cases.ts";
import { inboxCases } from "./runs/inbox-cases.ts";
import { runCases } from "./runs/run-cases.ts";
import { runChaosCases } from "./runs/run-chaos-cases.ts";
import { checkpointCases } from "./sessions/checkpoint-cases.ts";
import { creationCases } from "./sessions/creation-cases.ts";
import { keepingCases } from "./sessions/keeping-cases.ts";
import { keptCases } from "./sessions/kept-cases.ts";
import { purgeCases } from "./sessions/purge-cases.ts";
import { sessionCases } from "./sessions/session-cases.ts";
import type { StoreTestRunner } from "./store-test-runner.ts";
import { beginCases } from "./turns/begin-cases.ts";
import { fencingCases } from "./turns/fencing-cases.ts";
import { limitCases } from "./turns/limit-cases.ts";
import { questionCases } from "./turns/question-cases.ts";
import { queueCases } from "./turns/queue-cases.ts";
import { turnCases } from "./turns/turn-cases.ts";
import { usageCases } from "./turns/usage-cases.ts";
import { webhookCases } from "./webhook-cases.ts";

export interface StoreSuiteOptions {
  readonly name: string;
  /** Opens a new, empty store with the clock that it is given; called for every test. */
  readonly open: Open;
  /** The module vitest, imported as a whole. */
  readonly runner: StoreTestRunner;
}

/**
 * Defines the tests of a store: every case once normally and once with every write delivered twice.
 * @example
 * import * as runner from "vitest";
 * storeSuite({ name: "my store", open: async ({ now }) => ({ store, reopen, cleanup }), runner });
 */
export function storeSuite({ name, open, runner }: StoreSuiteOptions): void {
  setRunner(runner);
  describe(name, () => {
    agentCases(open);
    sessionCases(open);
    turnCases(open);
    usageCases(open);
    limitCases(open);
    queueCases(open);
    beginCases(open);
    fencingCases(open);
    checkpointCases(open);
    purgeCases(open);
    keepingCases(open);
    creationCases(open);
    keptCases(open);
    eventCases(open);
    dueCases(open);
    runCases(open);
    inboxCases(open);
    questionCases(open);
    accessCases(open);
    webhookCases(open);
    homeCases(open);
    changeCases(open);
    chaosCases(open);
    runChaosCases(open);
  });

  describe(`${name}, everything delivered twice`, () => {
    const twice: Open = async (options) => {
      const { store, ...opened } = await open(options);
      return { store: chaotic(store, 0, { duplicates: 1, overlaps: 0 }), ...opened };
    };
    agentCases(twice);
    sessionCases(twice);
    turnCases(twice);
    usageCases(twice);
    limitCases(twice);
    queueCases(twice);
    beginCases(twice);
    fencingCases(twice);
    checkpointCases(twice);
    purgeCases(twice);
    keepingCases(twice);
    creationCases(twice);
    keptCases(twice);
    dueCases(twice);
    runCases(twice);
    inboxCases(twice);
    questionCases(twice);
    accessCases(twice);
    webhookCases(twice);
    homeCases(twice);
  });
}
