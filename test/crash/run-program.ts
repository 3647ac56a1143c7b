/** Runs the program of the crash tests of turns. */

import { fileURLToPath } from "node:url";
import type { TurnCall } from "./calls.ts";
import type { TurnProgramInput } from "./program.ts";
import { runProcess } from "./run-process.ts";

const program = fileURLToPath(new URL("./program.ts", import.meta.url));

export interface EndedProgram {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The calls that Reprise made, when it came to its end. */
  readonly calls: readonly TurnCall[];
  readonly stderr: string;
}

/** `killAfter`: milliseconds after which it is killed from outside. */
export async function runProgram(
  order: TurnProgramInput,
  killAfter?: number,
): Promise<EndedProgram> {
  const { stdout, ...ended } = await runProcess(program, [JSON.stringify(order)], killAfter);
  return { ...ended, calls: stdout === "" ? [] : JSON.parse(stdout) };
}
