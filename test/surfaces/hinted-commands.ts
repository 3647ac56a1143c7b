/** The commands that a hint names, and whether the command line takes them. */

import { createProgram } from "../../packages/reprise/src/cli/program.ts";

/** What is between double quotes and begins with the program's name; a quote may be within single ones. */
export function commandsIn(hint: string): string[] {
  return [...hint.matchAll(/"(reprise (?:'(?:[^']|'\\'')*'|[^"'])*)"/g)].map(([, found]) => found!);
}

/** Fails with commander's error when the command does not parse. Nothing is run. */
export async function parse(command: string): Promise<void> {
  let invoked = false;
  const program = createProgram(() => async () => {
    invoked = true;
  });
  const silent = (each: typeof program) => {
    each.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
    for (const child of each.commands) silent(child as typeof program);
  };
  silent(program);
  await program.parseAsync(shellWords(command).slice(1), { from: "user" });
  if (!invoked) throw new Error(`${command} names no command`);
}

function shellWords(command: string): string[] {
  const words = command.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|\\(.)/g, (_, quoted, one) => quoted ?? one),
  );
}
