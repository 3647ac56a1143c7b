import type { Command } from "commander";
import { expect, test } from "vitest";
import { globalOptions } from "./help.ts";
import { createProgram } from "./program.ts";

/** The program's options and its own, as a command gets them. */
async function given(...argv: string[]) {
  let command: Command | null = null;
  const program = createProgram(() => async (...args) => {
    command = args.at(-1) as Command;
  });
  await program.parseAsync(argv, { from: "user" });
  return { shared: globalOptions(command!), own: command!.opts() };
}

test.each([
  ["before the command", ["--json", "--home", "h", "--no-color", "sessions", "show", "k"]],
  ["in the middle of it", ["sessions", "--json", "--home=h", "--no-color", "show", "k"]],
  ["behind it", ["sessions", "show", "--home", "h", "k", "--json", "--no-color"]],
  ["here and there", ["--json", "sessions", "--no-color", "show", "k", "--home", "h"]],
])("the program's options may be given %s", async (_, argv) => {
  expect((await given(...argv)).shared).toEqual({ json: true, home: "h", color: false });
});

test("given twice, the last one counts", async () => {
  expect((await given("--home", "a", "why", "k", "--home", "b")).shared).toEqual({ home: "b" });
});

test("without options there are none", async () => {
  expect((await given("why", "k")).shared).toEqual({});
});

test("after a command with an option of that name it is the command's", async () => {
  const { shared, own } = await given("--home", "a", "sessions", "move", "k", "--home", "b", "-q");
  expect(shared).toEqual({ home: "a", quiet: true });
  expect(own.home).toBe("b");
  expect((await given("sessions", "move", "k", "--home", "b")).shared).toEqual({});
});
