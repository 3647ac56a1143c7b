/** What some agents do not have; a case that needs it is not registered for them. */

import { test } from "vitest";

/** `tools`: the agent can do something on the machine. `builds`: other builds of its program have other abilities. */
type Need = "tools" | "builds";

const lacking: Readonly<Record<string, readonly Need[]>> = {
  // A model behind an API only answers, and its bridge comes with Reprise.
  openai: ["tools", "builds"],
};

export function lacks(provider: string, need: Need): boolean {
  return lacking[provider]?.includes(need) ?? false;
}

/** A test in which the agent uses a tool. */
export function testWithTools(provider: string, name: string, run: () => Promise<void>): void {
  if (!lacks(provider, "tools")) test(name, run);
}
