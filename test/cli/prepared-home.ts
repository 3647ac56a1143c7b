/** A home that was used before, made once, of which every test gets a copy of its own. */

import { chownSync, cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Identity, TestShell } from "./shell.ts";

/** With the agent `coder`, and the session `known` that was asked to remember APPLE-739. */
export async function prepareHome(): Promise<TestShell> {
  const shell = new TestShell();
  const create = await shell.run(["agent", "create", "coder", "--provider", "scripted"]);
  expect(create).toMatchObject({ code: 0 });
  const prompt = "remember APPLE-739";
  const send = await shell.run(["sessions", "send", "known", prompt, "--agent", "coder"]);
  expect(send).toMatchObject({ code: 0 });
  return shell;
}

export function copyOf(prepared: TestShell, identity?: Identity): TestShell {
  const shell = new TestShell(identity);
  cpSync(prepared.home, shell.home, { recursive: true });
  if (identity) {
    const inside = readdirSync(shell.home, { recursive: true, encoding: "utf8" });
    for (const name of ["", ...inside])
      chownSync(join(shell.home, name), identity.uid, identity.gid);
  }
  return shell;
}
