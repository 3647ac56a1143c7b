/**
 * Runs the code of function nodes in a JavaScript engine inside WebAssembly. It has its own memory and
 * nothing of this process: no files, no network, no clock other than the time of day. All of its objects
 * are frozen, so that a call leaves nothing behind for the next one.
 */

import { existsSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { JSException, type JSValueHandle, MAX_STACK_SIZE, QuickJS } from "quickjs-wasi";
import { withFuel } from "./wasm-fuel.ts";

/** What the code returned, as JSON text, or what it threw. */
export type FunctionResult = { readonly outputs: string } | { readonly error: string };

/** A WebAssembly memory. */
interface Memory {
  readonly buffer: ArrayBuffer;
}

/** Handles are freed at the end of their scope, unless they escape. */
type Scope = Parameters<Parameters<QuickJS["withScope"]>[0]>[0];

const memoryMegabytes = 256;
const megabyte = 2 ** 20;
/** WebAssembly memory never shrinks: a realm that grew beyond this is not reused. */
const reuseBelowMegabytes = 64;
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
    try {
      const { name, message } = thrown;
      return typeof message === "string" ? name + ": " + message : String(thrown);
    } catch {
      return "it threw a value that cannot be displayed";
    }
  };
  const answerOf = (outputs) => {
    const text = Array.isArray(outputs) ? undefined : JSON.stringify(outputs);
    if (text?.[0] !== "{") throw new TypeError("it must return an object with its outputs");
    return "+" + text;
  };
  const settled = async (outputs) => answerOf(await outputs);
  return (source) => {
    const body = evaluate(source);
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

export interface RealmOptions {
  /** The amount of work that each call may do; see wasm-fuel.ts. */
  readonly fuel?: number;
}

export class FunctionRealm {
  readonly #vm: QuickJS;
  readonly #memory: Memory;
  readonly #meter: { value: number } | undefined;
  readonly #fuel: number;
  readonly #make: JSValueHandle;
  readonly #made = new Map<string, JSValueHandle>();
  #broken = false;

  private constructor(vm: QuickJS, memory: Memory, fuel: number) {
    this.#vm = vm;
    this.#memory = memory;
    this.#meter = (vm._getExports() as unknown as { fuel?: { value: number } }).fuel;
    this.#fuel = fuel;
    this.#make = vm.evalCode(prelude, "prelude");
  }

  static async open({ fuel }: RealmOptions = {}): Promise<FunctionRealm> {
    let memory: Memory | null = null;
    const vm = await QuickJS.create({
      wasm: fuel === undefined ? readFileSync(interpreter()) : meteredModule(),
      memoryLimit: memoryMegabytes * megabyte,
      maxStackSize: MAX_STACK_SIZE,
      wasi: (its: Memory) => {
        memory = its;
        return {};
      },
    });
    return new FunctionRealm(vm, memory!, fuel ?? 0);
  }

  /** The next call needs another realm. */
  get spent(): boolean {
    return this.#broken || this.#memory.buffer.byteLength > reuseBelowMegabytes * megabyte;
  }

  /** Null if it was stopped because it ran out of fuel or recursed too deeply. */
  call(code: string, inputs: string): FunctionResult | null {
    if (this.#meter) this.#meter.value = this.#fuel;
    try {
      const answer = this.#vm.withScope((scope) => this.#answer(this.#called(code, scope), inputs));
      if (answer === "") return { error: "its promise never settles" };
      if (answer.startsWith("+")) return { outputs: answer.slice(1) };
      // Out of memory for its inputs or outputs, it cannot return an answer of its own.
      return { error: answer.startsWith("-") ? answer.slice(1) : "InternalError: out of memory" };
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof JSException)
        return { error: `${error.name}: ${error.message}` };
      this.#broken = true;
      return null;
    }
  }

  #answer(called: JSValueHandle, inputs: string): string {
    const vm = this.#vm;
    const answer = vm.callFunction(called, vm.undefined, vm.newString(inputs));
    // Run its pending jobs now, so that none is left for the next call.
    vm.executePendingJobs();
    return (answer.isString ? answer : vm.callFunction(answer, vm.undefined)).toString();
  }

  #called(code: string, scope: Scope): JSValueHandle {
    const known = this.#made.get(code);
    if (known) return known;
    const vm = this.#vm;
    // A call without a promise takes half the time.
    const kind = code.includes("await") ? "async function" : "function";
    const source = withoutTypes(`"use strict"; (${kind} (inputs) {\n${code}\n})`);
    const made = scope.escape(vm.callFunction(this.#make, vm.undefined, vm.newString(source)));
    const [oldest] = this.#made.keys();
    if (this.#made.size >= maxCachedCodes && oldest !== undefined) {
      this.#made.get(oldest)?.dispose();
      this.#made.delete(oldest);
    }
    this.#made.set(code, made);
    return made;
  }
}

let metered: Uint8Array<ArrayBuffer> | null = null;

/** Built once and reused for later realms. */
function meteredModule(): Uint8Array<ArrayBuffer> {
  metered ??= withFuel(readFileSync(interpreter()));
  return metered;
}

/** The interpreter's file: next to the bundle, or in its package. */
function interpreter(): string {
  const bundled = fileURLToPath(new URL("./quickjs.wasm", import.meta.url));
  if (existsSync(bundled)) return bundled;
  return fileURLToPath(import.meta.resolve("quickjs-wasi/quickjs.wasm"));
}

/** Suppresses Node's experimental warning, which is of no use to a user. */
function withoutTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
