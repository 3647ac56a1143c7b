/** What some agents do not have; a case that needs it is not registered for them. */

import { test } from "vitest";

/**
 * `tools`: the agent can do something on the machine. `builds`: other builds of its program have other abilities.
 * `account`: it is known whose account it uses. `history`: what it keeps of a session can be read
 * and copied while it does not run.
 */
export type Need = "tools" | "builds" | "account" | "history";

const lacking: Readonly<Record<string, readonly Need[]>> = {
  // A model behind an API only answers, and its bridge comes with Reprise.
  openai: ["tools", "builds"],
  // The protocol tells neither; what is replayed when a session is loaded is the only witness.
  acp: ["account", "history"],
};

export function lacks(provider: string, need: Need): boolean {
  return lacking[provider]?.includes(need) ?? false;
}

/** A test in which the agent uses a tool. */
export function testWithTools(provider: string, name: string, run: () => Promise<void>): void {
  if (!lacks(provider, "tools")) test(name, run);
}

/** A test that reads, damages or restores what the agent keeps of a session. */
export function testWithHistory(provider: string, name: string, run: () => Promise<void>): void {
  if (!lacks(provider, "history")) test(name, run);
}

/** A test in which what the agent keeps of a session shows what a tool did. */
export function testWithKeptTools(provider: string, name: string, run: () => Promise<void>): void {
  if (!lacks(provider, "history")) testWithTools(provider, name, run);
}
