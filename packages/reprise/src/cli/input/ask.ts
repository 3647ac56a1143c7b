/** Asks a person on the terminal. The questions go to standard error, so that standard output has only results. */

import { createInterface } from "node:readline/promises";
import type { Surroundings } from "../cli.ts";

type Streams = Pick<Surroundings, "stdin" | "stderr">;

export function isAnswerable({ stdin }: Pick<Surroundings, "stdin">): boolean {
  return stdin.isTTY === true;
}

/** Passes a function that asks one question and returns the line that is typed, without spaces around it. */
export async function asking<Result>(
  { stdin, stderr }: Streams,
  work: (ask: (question: string) => Promise<string>) => Promise<Result>,
): Promise<Result> {
  const reader = createInterface({ input: stdin, output: stderr });
  try {
    return await work(async (question) => (await reader.question(`${question} `)).trim());
  } finally {
    reader.close();
  }
}
