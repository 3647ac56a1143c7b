/** How bad input must be answered: one line that says what is wrong and what to do, and no change. */

import { expect } from "vitest";
import { contentOf } from "./content.ts";
import type { CommandOptions, TestShell } from "./shell.ts";

export interface CliRefusal {
  /** The exit code. */
  readonly code: number;
  /** The code of the error. */
  readonly error: string;
  readonly says: string | RegExp;
}

/** Runs the command with `--json`, which prints the document, and on standard error the sentence too. */
export async function expectRefusal(
  shell: TestShell,
  argv: readonly string[],
  { code, error, says }: CliRefusal,
  options: CommandOptions = {},
): Promise<void> {
  const before = contentOf(shell.home);
  const ended = await shell.run([...argv, "--json"], options);
  expect(ended.stderr).toMatch(/^reprise: [^\n]+\n$/);
  expect(ended.stderr).toMatch(says);
  expect({ code: ended.code, document: JSON.parse(ended.stdout) }).toEqual({
    code,
    document: {
      error: {
        code: error,
        message: expect.stringMatching(/\S/),
        hint: expect.stringMatching(/\S.*[.?]$/),
      },
    },
  });
  const { message, hint } = JSON.parse(ended.stdout).error;
  expect(ended.stderr).toContain(hint);
  expect(message).not.toContain(hint);
  expect(contentOf(shell.home)).toEqual(before);
}
