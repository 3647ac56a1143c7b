/** Reads a passphrase from the terminal without showing it, or from standard input; never from an argument. */

import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { DeniedError, UsageError } from "@reprise/core/errors/errors";
import type { Surroundings } from "../cli.ts";

type Streams = Pick<Surroundings, "stdin" | "stderr">;

/** Longer than any passphrase may be. */
const longest = 4096;

/**
 * Returns one answer per question. With `fromStdin` each is a line of standard input; otherwise Reprise asks on the
 * terminal.
 */
export async function readSecrets(
  { stdin, stderr }: Streams,
  questions: readonly string[],
  fromStdin: boolean,
): Promise<string[]> {
  if (fromStdin) return linesOf(stdin, questions);
  if (!stdin.isTTY)
    throw new UsageError(
      "no-terminal",
      "There is no terminal to ask for a passphrase.",
      "Give it on standard input with --passphrase-stdin.",
    );
  return typed({ stdin, stderr }, questions);
}

async function linesOf(stdin: Streams["stdin"], questions: readonly string[]): Promise<string[]> {
  let text = "";
  for await (const part of stdin) {
    text += String(part);
    if (text.length > longest || text.split("\n").length > questions.length) break;
  }
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  const given = questions.map((_, index) => lines[index] ?? "");
  const missing = given.indexOf("");
  if (missing === -1 && text.length <= longest) return given;
  throw new UsageError(
    "no-passphrase",
    `Standard input has no line for: ${questions[Math.max(missing, 0)]}`,
    `Give ${questions.length === 1 ? "it as the first line" : `${questions.length} lines`}, as in: printf '%s\\n' … | reprise …`,
  );
}

/** The terminal echoes nothing from before the first question until after the last. */
async function typed({ stdin, stderr }: Streams, questions: readonly string[]): Promise<string[]> {
  // Readline would echo the typed text to its output; this one discards it.
  const output = new Writable({ write: (_, __, done) => done() });
  const reader = createInterface({ input: stdin, output, terminal: true });
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  const given: string[] = [];
  const ask = () => stderr.write(`${questions[given.length]}: `);
  reader.on("line", (line) => {
    given.push(line);
    stderr.write("\n");
    if (given.length === questions.length) resolve(given);
    else ask();
  });
  reader.once("SIGINT", () => reader.close());
  reader.once("close", () =>
    reject(new DeniedError("no-passphrase", "No passphrase was given.", "Nothing was changed.")),
  );
  ask();
  return promise.finally(() => reader.close());
}
