/** Everything that the command line uses of its process, in one value that tests can replace. */

import type { Readable, Writable } from "node:stream";

export type Signal = "SIGINT" | "SIGTERM";

export type OutputStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};
export type InputStream = Readable & { readonly isTTY?: boolean };

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  now(): number;
  /** Calls `listener` for each signal instead of ending; the returned function undoes that. */
  onSignal(listener: (signal: Signal) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}

export function processSurroundings(cwd: string): Surroundings {
  watchOutput(process.stdout, "output");
  watchOutput(process.stderr, "messages");
  return {
    env: process.env,
    cwd,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: Date.now,
    onSignal(listener) {
      process.on("SIGINT", listener);
      process.on("SIGTERM", listener);
      return () => {
        process.off("SIGINT", listener);
        process.off("SIGTERM", listener);
      };
    },
    exit: (code) => process.exit(code),
  };
}

/** `reprise … | head` closes our output early: a running turn continues. Any other write error ends the command. */
function watchOutput(stream: Writable, name: string): void {
  stream.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") return;
    if (stream !== process.stderr)
      process.stderr.write(`reprise: The ${name} could not be written (${code}).\n`);
    process.exit(1);
  });
}
