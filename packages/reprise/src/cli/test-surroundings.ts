/** Surroundings for tests: streams in memory, signals that a test sends, and a recorded exit. */

import { Readable, Writable } from "node:stream";
import {
  type Cli,
  createCli,
  type GlobalOptions,
  type OutputStream,
  type Signal,
  type Surroundings,
} from "./cli.ts";

export interface TestOptions {
  readonly env?: Surroundings["env"];
  readonly cwd?: string;
  readonly stdin?: string;
  /** Columns of a terminal; without it the streams are not terminals. */
  readonly columns?: number;
}

export interface TestSurroundings extends Surroundings {
  readonly exits: number[];
  stdoutText(): string;
  stderrText(): string;
  send(signal: Signal): void;
}

export function testSurroundings(options: TestOptions = {}): TestSurroundings {
  const out = memoryStream(options.columns);
  const err = memoryStream(options.columns);
  const listeners = new Set<(signal: Signal) => void>();
  const exits: number[] = [];
  return {
    env: options.env ?? {},
    cwd: options.cwd ?? "/here",
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    stdout: out.stream,
    stderr: err.stream,
    now: Date.now,
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exit: (code) => void exits.push(code),
    exits,
    stdoutText: out.text,
    stderrText: err.text,
    send: (signal) => {
      for (const listener of listeners) listener(signal);
    },
  };
}

export function testCli(
  options: TestOptions & GlobalOptions = {},
): Cli & Pick<TestSurroundings, "exits" | "stdoutText" | "stderrText" | "send"> {
  const surroundings = testSurroundings(options);
  return { ...surroundings, ...createCli(surroundings, options) };
}

function memoryStream(columns: number | undefined): { stream: OutputStream; text(): string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  return { stream: Object.assign(stream, terminal), text: () => chunks.join("") };
}
