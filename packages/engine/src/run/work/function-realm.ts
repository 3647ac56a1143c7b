/**
 * Runs the code of function nodes in QuickJS inside WebAssembly. It has its own memory and nothing of this
 * process: no files, no network, no clock other than the time of day. All of its objects are frozen, so
 * that a call leaves nothing behind for the next one.
 *
 * Only in a thread: some operations (a search in an array-like of 2⁵³ elements) are one instruction, which
 * the interpreter's time limit cannot interrupt.
 */

import { existsSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import interpreterPackage from "@jitl/quickjs-ng-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";

/** Inputs are passed as JSON text; null: the code is only compiled. */
export interface FunctionCall {
  readonly code: string;
  readonly inputs: string | null;
}

/** What the code returned, as JSON text, or why it returned nothing. */
export type FunctionResult =
  | { readonly outputs: string }
  | { readonly error: string }
  | { readonly tooLarge: true }
  | { readonly interrupted: true };

/** Its types describe its CommonJS build. */
const interpreter = interpreterPackage as unknown as QuickJSSyncVariant;

/** The types of Node do not have it. */
const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: MemoryConstructor } })
  .WebAssembly;
type Memory = ReturnType<QuickJSWASMModule["getWasmMemory"]>;
type MemoryConstructor = new (pages: { initial: number; maximum: number }) => Memory;

const megabyte = 2 ** 20;
/** What WebAssembly counts in. */
const pageBytes = 64 * 1024;
const memoryPages = { initial: (16 * megabyte) / pageBytes, maximum: (256 * megabyte) / pageBytes };
/** Larger ones would not leave enough memory to parse them. */
const maxInputBytes = 64 * megabyte;
const stackBytes = megabyte;
/** WebAssembly memory never shrinks: a realm that grew beyond this is not reused. */
const reusableBytes = 64 * megabyte;
/** The size of a result: as much as a script may print. */
export const maxResultBytes = 8 * megabyte;
const maxErrorLength = 10_000;
const maxCachedCodes = 200;

/**
 * Freezes every object and returns a compiler: source text to function. That function returns its answer,
 * or, for a promise, a function that returns the answer once the promise has settled. Names that the source
 * declares are local to it.
 */
const prelude = `"use strict";
(() => {
  const evaluate = eval;
  for (const name of ["Atomics", "FinalizationRegistry", "SharedArrayBuffer", "WeakRef", "eval"])
    delete globalThis[name];
  // Not all of them can be reached by name.
  const found = new Set([
    globalThis, async () => {}, function* () {}, async function* () {},
    [].values(), new Map().values(), new Set().values(), ""[Symbol.iterator](), "".matchAll(/x/g),
    Iterator.from({ next() {} }), [].values().map(() => {}), Iterator.concat?.(),
  ].filter((each) => each !== undefined));
  for (const each of found) {
    const parts = [Reflect.getPrototypeOf(each)];
    for (const key of Reflect.ownKeys(each)) {
      const { value, get, set } = Reflect.getOwnPropertyDescriptor(each, key);
      parts.push(value, get, set);
    }
    for (const part of parts) if (Object(part) === part) found.add(part);
  }
  // Without this, no object could have an own property that its frozen prototype also has.
  const open = (prototype) => {
    for (const key of Reflect.ownKeys(prototype)) {
      const { value, writable } = Reflect.getOwnPropertyDescriptor(prototype, key);
      if (!writable) continue;
      const accessor = {
        get [key]() { return value; },
        set [key](own) {
          if (this === prototype) throw new TypeError("'" + String(key) + "' is read-only");
          const property = { value: own, writable: true, enumerable: true, configurable: true };
          Reflect.defineProperty(this, key, property);
        },
      };
      const { get, set } = Reflect.getOwnPropertyDescriptor(accessor, key);
      Reflect.defineProperty(prototype, key, { get, set });
      for (const each of [get, set]) found.add(each);
    }
  };
  const isError = (each) => each === Error.prototype || Error.prototype.isPrototypeOf(each);
  [...found].filter((each) => each === Object.prototype || isError(each)).forEach(open);
  for (const each of found) Object.freeze(each);

  const textOf = (thrown) => {
    // Without memory even for an error, QuickJS throws null.
    if (thrown === null) return "it threw null, or ran out of memory";
    try {
      const { name, message } = thrown;
      const text = typeof message === "string" ? name + ": " + message : String(thrown);
      return text.slice(0, ${maxErrorLength});
    } catch {
      return "it threw a value that cannot be displayed";
    }
  };
  const answerOf = (outputs) => {
    const text = Array.isArray(outputs) ? undefined : JSON.stringify(outputs);
    if (text?.[0] !== "{") throw new TypeError("it must return an object with its outputs");
    return text.length > ${maxResultBytes} ? "*" : "+" + text;
  };
  const settled = async (outputs) => answerOf(await outputs);
  return (source) => {
    const body = evaluate("'use strict'; (" + source + ")");
    // Code that ends the function and begins another one could keep state between calls. Such code cannot
    // fit both brackets.
    evaluate("'use strict'; [" + source + "]");
    return (inputs) => {
      let answer = "";
      try {
        const outputs = body(JSON.parse(inputs));
        if (typeof outputs?.then !== "function") return answerOf(outputs);
        settled(outputs).then(
          (text) => { answer = text; },
          (thrown) => { answer = "-" + textOf(thrown); },
        );
      } catch (thrown) {
        return "-" + textOf(thrown);
      }
      return () => answer;
    };
  };
})()`;

export class FunctionRealm {
  readonly #module: QuickJSWASMModule;
  readonly #context: QuickJSContext;
  readonly #compiler: QuickJSHandle;
  readonly #compiled = new Map<string, QuickJSHandle>();
  #deadline = Number.POSITIVE_INFINITY;
  #interrupted = false;
  #broken = false;

  private constructor(module: QuickJSWASMModule) {
    this.#module = module;
    const runtime = module.newRuntime({
      maxStackSizeBytes: stackBytes,
      interruptHandler: () => {
        this.#interrupted ||= performance.now() > this.#deadline;
        return this.#interrupted;
      },
    });
    this.#context = runtime.newContext();
    this.#compiler = this.#context.unwrapResult(this.#context.evalCode(prelude, "prelude"));
  }

  static async open(): Promise<FunctionRealm> {
    const { buffer } = new Uint8Array(readFileSync(interpreterFile()));
    // The runtime's own memory limit does not hold in this build: the memory grew to 2 GB.
    const wasmMemory = new Memory(memoryPages);
    const variant = newVariant(interpreter, { wasmBinary: buffer, wasmMemory });
    return new FunctionRealm(await newQuickJSWASMModuleFromVariant(variant));
  }

  /** The next call needs another realm. */
  get spent(): boolean {
    return this.#broken || this.#size > reusableBytes;
  }

  call({ code, inputs }: FunctionCall, limit: number): FunctionResult {
    if (inputs !== null && Buffer.byteLength(inputs) > maxInputBytes)
      return { error: "out of memory, since its inputs are larger than 64 MiB" };
    this.#deadline = performance.now() + limit;
    try {
      const compiled = this.#functionOf(code);
      const answer = inputs === null ? "+{}" : this.#answer(compiled, inputs);
      if (!this.#interrupted) return resultOf(answer);
      this.#broken = true;
      return { interrupted: true };
    } catch (error) {
      // Nothing that such a call left behind may reach the next one.
      this.#broken = true;
      if (this.#interrupted) return { interrupted: true };
      return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
    }
  }

  #answer(called: QuickJSHandle, inputs: string): string {
    const context = this.#context;
    const answer = this.#called(called, inputs);
    this.#runJobs();
    const settled = context.typeof(answer) === "string" ? answer : this.#called(answer);
    const text = context.getString(settled);
    answer.dispose();
    if (settled.alive) settled.dispose();
    return text;
  }

  /** Runs its pending jobs now, so that none is left for the next call. */
  #runJobs(): void {
    const size = this.#size;
    try {
      this.#context.runtime.executePendingJobs().unwrap();
    } catch (error) {
      // quickjs-emscripten reads the outcome from a view that is detached when the memory grew meanwhile.
      if (this.#interrupted || this.#size === size) throw error;
      this.#broken = true;
      this.#runJobs();
    }
  }

  get #size(): number {
    return this.#module.getWasmMemory().buffer.byteLength;
  }

  #functionOf(code: string): QuickJSHandle {
    const known = this.#compiled.get(code);
    if (known) return known;
    const made = this.#compile(code);
    const [oldest] = this.#compiled.keys();
    if (this.#compiled.size >= maxCachedCodes && oldest !== undefined) {
      this.#compiled.get(oldest)?.dispose();
      this.#compiled.delete(oldest);
    }
    this.#compiled.set(code, made);
    return made;
  }

  #compile(code: string): QuickJSHandle {
    // A call without a promise takes half the time.
    const kind = code.includes("await") ? "async function" : "function";
    const source = `${kind} (inputs) {\n${code}\n}`;
    // `f<T>(x)` is also JavaScript, but means something else.
    const mayBeGeneric = code.includes("<") && code.includes(">");
    if (mayBeGeneric) return this.#called(this.#compiler, withoutTypes(source));
    try {
      return this.#called(this.#compiler, source);
    } catch (error) {
      if (!(error instanceof Error && error.name === "SyntaxError")) throw error;
      return this.#called(this.#compiler, withoutTypes(source));
    }
  }

  /** @throws what it throws, with its name and message. */
  #called(called: QuickJSHandle, argument?: string): QuickJSHandle {
    const context = this.#context;
    const texts = argument === undefined ? [] : [context.newString(argument)];
    const result = context.callFunction(called, context.undefined, ...texts);
    for (const text of texts) text.dispose();
    return context.unwrapResult(result);
  }
}

function resultOf(answer: string): FunctionResult {
  if (answer === "") return { error: "its promise never settles" };
  const text = answer.slice(1);
  if (answer.startsWith("+"))
    return Buffer.byteLength(text) > maxResultBytes ? { tooLarge: true } : { outputs: text };
  if (answer.startsWith("*")) return { tooLarge: true };
  // Without memory for its inputs or outputs, it cannot return an answer of its own.
  return { error: answer.startsWith("-") ? text : "InternalError: out of memory" };
}

/**
 * Loading what removes types takes longer than all else of a first call, so only code that needs it waits
 * for it.
 */
function withoutTypes(source: string): string {
  const before = "(";
  const stripped = stripTypeScriptTypes(`${before}${source})`);
  return stripped.slice(before.length, -1);
}

/** The interpreter's file: next to the bundle, or in its package. */
function interpreterFile(): string {
  const bundled = fileURLToPath(new URL("./quickjs.wasm", import.meta.url));
  if (existsSync(bundled)) return bundled;
  return fileURLToPath(import.meta.resolve("@jitl/quickjs-ng-wasmfile-release-sync/wasm"));
}
