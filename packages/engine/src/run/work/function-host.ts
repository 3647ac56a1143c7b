/**
 * Runs the code of function nodes, in a process of its own that Node starts with `--permission` and an
 * empty environment: no file, no network, no process, no worker. A call is a line of JSON on standard
 * input, its result one on standard output. Each code has a global object of its own, which is frozen:
 * what a call leaves behind would be there for the next.
 */

import { readSync, writeSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { StringDecoder } from "node:string_decoder";
import { constants, createContext, runInContext } from "node:vm";

/** Inputs and outputs travel as JSON texts, so that no object of this process gets into the code's hands. */
export interface FunctionCall {
  readonly id: number;
  readonly code: string;
  readonly inputs: string;
}

export type FunctionResult =
  | { readonly id: number; readonly outputs: string }
  | { readonly id: number; readonly error: string };

type Run = (inputs: string) => Promise<string>;

const seal = `
(() => {
  const seen = new Set();
  const freeze = (value) => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return;
    if (seen.has(value)) return;
    seen.add(value);
    Object.freeze(value);
    for (const { value: own, get, set } of Object.values(Object.getOwnPropertyDescriptors(value)))
      [own, get, set].forEach(freeze);
    freeze(Object.getPrototypeOf(value));
  };
  Object.getOwnPropertyNames(globalThis)
    .filter((name) => name !== "globalThis")
    .forEach((name) => freeze(globalThis[name]));
  [async () => {}, function* () {}, async function* () {}].forEach(freeze);
  Object.freeze(globalThis);
})()`;

const compiled = new Map<string, Run>();
const keptAtMost = 200;

function compile(code: string): Run {
  const known = compiled.get(code);
  if (known) return known;
  const source = stripTypeScriptTypes(`(async function (inputs) {\n${code}\n})`);
  // Only a global object of its own kind can be frozen.
  const context = createContext(constants.DONT_CONTEXTIFY, {
    codeGeneration: { strings: false, wasm: false },
  });
  runInContext(seal, context);
  const run = runInContext(
    `"use strict"; ((body) => async (inputs) => {
      const outputs = await body(JSON.parse(inputs));
      if (typeof outputs !== "object" || outputs === null || Array.isArray(outputs))
        throw new TypeError("it must return an object with its outputs");
      return JSON.stringify(outputs);
    })(${source.trim().replace(/;$/, "")})`,
    context,
    { filename: "function.ts", lineOffset: -1 },
  ) as Run;
  if (compiled.size >= keptAtMost) compiled.delete(compiled.keys().next().value as string);
  compiled.set(code, run);
  return run;
}

/** What was thrown is the code's own object: nothing but a text of it may leave. */
function textOf(thrown: unknown): string {
  try {
    const { name, message } = thrown as Error;
    return typeof message === "string" ? `${name}: ${message}` : String(thrown);
  } catch {
    return "it threw something that can not be shown";
  }
}

async function answer({ id, code, inputs }: FunctionCall): Promise<FunctionResult> {
  try {
    return { id, outputs: await compile(code)(inputs) };
  } catch (thrown) {
    return { id, error: textOf(thrown) };
  }
}

async function serve(line: string): Promise<void> {
  const result = await answer(JSON.parse(line) as FunctionCall);
  writeSync(1, `${JSON.stringify(result)}\n`);
}

const chunk = Buffer.alloc(65_536);
const decoder = new StringDecoder("utf8");
let rest = "";

/**
 * Waits for the next calls, and for nothing else: code has no timers, so whatever it waits for has
 * come by then or never will. A process that is blocked in a read wakes sooner than one that polls.
 * Each call has a turn of its own: what it answers is told before the next one begins, which may
 * never end.
 */
function listen(): void {
  const length = readSync(0, chunk);
  if (length === 0) return;
  const lines = (rest + decoder.write(chunk.subarray(0, length))).split("\n");
  rest = lines.pop()!;
  for (const line of lines) setImmediate(serve, line);
  setImmediate(listen);
}

listen();
