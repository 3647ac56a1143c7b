/**
 * The cases that the slow agents run by default. A turn of gemini or pi takes up to a second of the processor's time, one
 * of opencode three, so they run what their own files, stream and program may decide; the rest is the engine's, and the
 * other agents show it. `REPRISE_TEST_AGENTS=gemini` runs all of gemini's.
 */

import { TestRunner } from "vitest";

const chosenForGemini: readonly RegExp[] = [
  /^C01\/.*: (every guard holds|capability|folder ⇒|runtime|account ⇒|intact|instructions,|model holds|prior)/,
  /^C02\/.*: fresh never reuses an id/,
  /^C03\/.*: refused (before|after)/,
  /^C04\/.*: a new session/,
  /^C05\/.*: (rate-limit|cut-off) keeps|^S1 C05\/.*: a first turn that fails after a tool/,
  /^C06\/.*: (overflow|dangling tool call|an answer that only quotes)/,
  /^C07\//,
  /^S0g C08\/.*: cancel KEY|^C08\/.*: (two keys|Reprise is killed)/,
  /^C10\/.*: (the newest damaged|none is left)/,
  /^C12\/.*: what an answer will do/,
  /^C13\/.*: an archived key/,
  /^C14\/.*: inherit_resume continues/,
  /^C15\/.*: a failed agent still emits/,
  /^C16\/.*: forks that run at the same time/,
  /^C17\/.*: failed checks/,
  /^C18\/.*: (lines that are split|usage is|a tool that ignores)/,
  /^C19\/.*: (no prompt resets|what another agent said is|a symlink|an id that equals|a stale|a folder that was moved)/,
  /^S2 C19\/.*: a session that was moved stays/,
  /^C20\/.*: the usage of a resumed turn/,
  /^C21\/.*: (cut off|a line altered|deleted|no checkpoint)/,
  /^C22\/.*: killed while the model thinks/,
  /^C23\//,
  /^C24\/.*: a shim that is killed alone/,
  /^W1 C25\/.*: after a restart/,
  /^S0 C25\//,
];

/** A turn of opencode takes three seconds of the processor's time, so it runs what its program alone can show. */
const chosenForOpencode: readonly RegExp[] = [
  /^C01\/.*: (every guard holds|capability|folder ⇒|account ⇒|intact)/,
  /^C02\/.*: fresh never reuses an id/,
  /^C03\/.*: refused before/,
  /^C04\/.*: a new session/,
  /^C05\/.*: rate-limit keeps|^S1 C05\/.*: a first turn that fails after a tool/,
  /^C06\/.*: dangling tool call/,
  /^C07\//,
  /^C08\/.*: (two keys|Reprise is killed)/,
  /^C12\/.*: what an answer will do/,
  /^C13\/.*: an archived key/,
  /^C16\/.*: forks that run at the same time/,
  /^C18\/.*: a tool that ignores/,
  /^C19\/.*: (an id that equals|a stale|a folder that was moved)/,
  /^S2 C19\/.*: a session that was moved stays/,
  /^C20\/.*: the usage of a resumed turn/,
  /^C21\/.*: cut off inside/,
  /^C22\/.*: killed while the model thinks/,
  /^C23\/.*: a turn typed natively/,
  /^C24\/.*: a shim that is killed alone/,
  /^W1 C25\/.*: after a restart/,
  /^C26\/.*: ((read|edit), on a new turn|edit runs a command)/,
  /^V20 C26\//,
];

const chosenForPi: readonly RegExp[] = [
  /^C01\/.*: (every guard holds|capability|runtime|account ⇒|intact|model|prior)/,
  /^C02\/.*: fresh never reuses an id/,
  /^C03\/.*: refused (before|after)/,
  /^C04\/.*: a new session/,
  /^C05\/.*: (rate-limit|cut-off) keeps|^S1 C05\/.*: (a first turn that fails after a tool|a kill in the tool)/,
  /^C06\/.*: (overflow|dangling tool call|an answer that only quotes)/,
  /^C07\//,
  /^S0g C08\/.*: cancel KEY|^C08\/.*: two keys/,
  /^C10\/.*: none is left/,
  /^C12\/.*: what an answer will do/,
  /^C13\/.*: an archived key/,
  /^C14\/.*: inherit_resume continues/,
  /^C15\/.*: a failed agent still emits/,
  /^C16\/.*: forks that run at the same time/,
  /^C17\/.*: failed checks/,
  /^C18\/.*: (lines that are split|usage is|a tool that ignores)/,
  /^C19\/.*: (no prompt resets|what another agent said is|an id that equals|a stale|a folder that was moved)/,
  /^S2 C19\/.*: a session that was moved stays/,
  /^C20\/.*: (asked for|what a compaction used|overflow ⇒|the usage of a resumed turn)/,
  /^C21\/.*: (cut off|a line altered|deleted)/,
  /^C22\/.*: killed while the model thinks/,
  /^C23\//,
  /^C24\/.*: a shim that is killed alone/,
  /^W1 C25\/.*: after a restart/,
  /^S0 C25\//,
];

const chosen = { gemini: chosenForGemini, opencode: chosenForOpencode, pi: chosenForPi };

/** What the pages of these agents say that they do not do. */
const notSaved = {
  agents: ["gemini", "opencode"],
  titles: /^S1 C05\/.*: a .* in the tool of a first turn/,
  reason: "the agent reports or saves a call only when it has ended, so there is nothing to resume",
};

/** Skips the test that runs now unless it is one of those. */
export function skipUnlessChosen(agent: keyof typeof chosen): void {
  const test = TestRunner.getCurrentTest();
  if (test && notSaved.agents.includes(agent) && notSaved.titles.test(test.name))
    test.context.skip(notSaved.reason);
  if (process.env.REPRISE_TEST_AGENTS?.trim() === agent) return;
  const reason = `left to the faster agents; REPRISE_TEST_AGENTS=${agent} runs every case of it`;
  if (test && !chosen[agent].some((title) => title.test(test.name))) test.context.skip(reason);
}
