import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { FunctionSandbox } from "./function-sandbox.ts";
import { functionThreads } from "./function-threads.ts";

const sandbox = new FunctionSandbox();
afterAll(() => sandbox.close());

const call = (code: string, inputs = {}, timeout = 20_000) =>
  sandbox.call(code, inputs, { timeout });

test("code gets its inputs and gives its outputs", async () => {
  expect(await call("return { sum: inputs.a + inputs.b }", { a: 1, b: 2 })).toEqual({ sum: 3 });
});

test("W8: a time limit of 25 days does not end a call at once", async () => {
  const slow = "let n = 0; for (let i = 0; i < 3e6; i++) n += 1; return { n };";
  expect(await call(slow, {}, 25 * 24 * 60 * 60 * 1000)).toEqual({ n: 3e6 });
});

test("code may have types, and wait", async () => {
  const code = "const text: string = await Promise.resolve(inputs.text); return { text };";
  expect(await call(code, { text: "x" })).toEqual({ text: "x" });
});

test("code may use types that look like JavaScript", async () => {
  const code =
    "const same = <T,>(value: T): T => value; return { text: same<string>(inputs.text) };";
  expect(await call(code, { text: "x" })).toEqual({ text: "x" });
});

test("code may need much memory after it waited", async () => {
  const code =
    "await null; const all = Array(4e6).fill(1); await null; return { all: all.length };";
  expect(await call(code)).toEqual({ all: 4e6 });
});

test("every text arrives as it is", async () => {
  const text = '\0 \ud800 \u2028 \ufeff 💡 "\\';
  expect(await call("return { text: inputs.text }", { text })).toEqual({ text });
});

test("code may give back a promise", async () => {
  expect(await call("return Promise.resolve({ ok: true })")).toEqual({ ok: true });
  await expect(call("return Promise.reject(new Error('no luck'))")).rejects.toThrow("no luck");
});

describe("objects of the code's own may have any name", () => {
  test.each([
    ["of an error", "const e = new Error('x'); e.name = 'Odd'; e.message = 'y'; throw e", "Odd: y"],
    ["of a class of errors", "throw Object.assign(new TypeError('x'), { name: 'Odd' })", "Odd: x"],
  ])("%s", async (_, code, expected) => expect(call(code)).rejects.toThrow(expected));

  test("that every object has", async () => {
    const code = `
      const counts = {};
      for (const word of inputs.words) counts[word] = 1;
      counts.toString = () => "mine";
      return { words: Object.keys(counts), text: String(counts) };`;
    const words = ["constructor", "valueOf"];
    expect(await call(code, { words })).toEqual({ words: [...words, "toString"], text: "mine" });
  });
});

describe("K6: nothing outside can be reached", () => {
  test.each([
    ["process", "return { found: typeof process }"],
    ["require", "return { found: typeof require }"],
    ["fetch", "return { found: typeof fetch }"],
    ["timers", "return { found: typeof setTimeout }"],
  ])("%s", async (_, code) => expect(await call(code)).toEqual({ found: "undefined" }));

  test.each([
    ["a function made of a text", "return inputs.constructor.constructor('return process')()"],
    ["a module", "return await import('node:fs')"],
    ["a name for the next call", "globalThis.left = 1; return {}"],
    ["a change of what arrays do", "Array.prototype.map = () => 1; return {}"],
    ["a change of what objects do", "Object.prototype.toString = () => 1; return {}"],
    ["a change of what errors are", "Error.prototype.name = 'Odd'; return {}"],
  ])("%s", async (_, code) => {
    await expect(call(code)).rejects.toMatchObject({ code: "function-failed" });
  });
});

describe("K6: nothing that a call changes is there for the next", () => {
  test.each([
    ["of all objects", "Object.prototype"],
    ["of what is iterated", "[].values()"],
    ["of the pieces of a text", "''[Symbol.iterator]()"],
    ["of what is matched", "''.matchAll(/x/g)"],
    ["of a map's entries", "new Map().entries()"],
    ["of a set's values", "new Set().values()"],
    ["of what is taken from an iterator", "[].values().map(String)"],
    ["of async functions", "(async () => {})"],
    ["of generators", "(function* () {}).prototype"],
    ["of async generators", "(async function* () {}).prototype"],
  ])("the prototype %s", async (_, expression) => {
    const code = `
      const frozen = [];
      for (let each = Object.getPrototypeOf(Object(${expression})); each; each = Object.getPrototypeOf(each))
        frozen.push(Object.isFrozen(each));
      return { frozen: Object.isFrozen(globalThis) && frozen.every(Boolean) };`;
    expect(await call(code)).toEqual({ frozen: true });
  });

  test("nor a name that its code declares outside of itself", async () => {
    const declare = (what: string) => `}); ${what}; (async function (inputs) {`;
    for (const what of ["let JSON = null", "var Object = null", "function Array() {}"])
      await call(`${declare(what)} return { ok: true }`).catch(() => {});
    const code = "return { found: JSON.stringify(Object.keys(Array(1).fill(1))) }";
    expect(await call(code)).toEqual({ found: '["0"]' });
  });

  test("nor anything that its code keeps outside of itself", async () => {
    const code = `
      }, function () {}); const kept = []; (function (inputs) { kept.push(1); return { kept: kept.length };`;
    const other = code.replace("}, function () {});", "});");
    for (const each of [code, other, other])
      await expect(call(each)).rejects.toThrow("SyntaxError");
  });

  test("nor does it hear when its own things are gone", async () => {
    const code = "return { found: [typeof FinalizationRegistry, typeof WeakRef] }";
    expect(await call(code)).toEqual({ found: ["undefined", "undefined"] });
  });
});

describe("K6: what does not behave costs only itself", () => {
  test("a loop without an end", async () => {
    const slow = call("while (true) {}", {}, 500);
    const beside = call("return { ok: true }");
    await expect(slow).rejects.toMatchObject({ code: "timed-out" });
    expect(await beside).toEqual({ ok: true });
  });

  test("what was called before it is answered before it begins", async () => {
    await call("return {}");
    const cancel = new AbortController();
    const before = call("return { ok: true }");
    const options = { timeout: 60_000, signal: cancel.signal };
    const endless = sandbox.call("while (true) {}", {}, options);
    expect(await before).toEqual({ ok: true });
    cancel.abort(new Error("stop"));
    await expect(endless).rejects.toThrow("stop");
  });

  test.each([
    ["a search without an end", "return { found: /(a*)*b/.test('a'.repeat(64)) }"],
    ["a list without an end", "return { found: [].includes.call({ length: 2 ** 53 - 1 }, 1) }"],
    ["promises without an end", "for (;;) await null"],
    ["a loop that catches all", "for (;;) try { for (;;); } catch {} finally { continue }"],
    ["a comparison without an end", "return { found: [2, 1].sort(() => { for (;;); }) }"],
    ["a proxy without an end", "return new Proxy({}, { ownKeys() { for (;;); } })"],
    ["an output without an end", "return { get found() { for (;;); } }"],
    ["a text for JSON without an end", "return { toJSON() { for (;;); } }"],
    ["a promise of its own without an end", "return { then() { for (;;); } }"],
    ["an error without an end", "throw { get message() { for (;;); } }"],
    ["jobs without an end", "const next = () => Promise.resolve().then(next); return next()"],
    [
      "a text that is compared without an end",
      "return { found: 'a'.repeat(1e5).replace(/(.*)*x/, '') }",
    ],
  ])("%s", async (_, code) => {
    await expect(call(code, {}, 500)).rejects.toMatchObject({ code: "timed-out" });
    expect(await call("return { ok: true }")).toEqual({ ok: true });
  });

  test.each([
    ["a promise that never settles", "await new Promise(() => {})", "never settles"],
    ["all the memory", "const all = []; for (;;) all.push(Array(1e6).fill(1))", "out of memory"],
    ["a depth without an end", "const dig = () => dig() + 1; return { dug: dig() }", "call stack"],
    [
      "a depth of texts",
      "const dig = { toString: () => '' + dig }; return { dug: '' + dig }",
      "call stack",
    ],
    ["a depth of JSON", "return { dug: JSON.parse('['.repeat(1e6)) }", "call stack"],
    [
      "a depth of generators",
      "function* dig() { yield* dig() } return { dug: [...dig()] }",
      "call stack",
    ],
    [
      "a depth of lists",
      "const dig = []; dig[0] = dig; return { dug: dig.flat(Infinity) }",
      "call stack",
    ],
    ["a depth of code", `return { dug: ${"[".repeat(100_000)}`, "Error"],
    ["a depth of outputs", "const dug = []; dug.push(dug); return { dug }", "circular"],
    ["many small things", "let all = null; for (;;) all = { all }", "out of memory"],
    ["a text beyond all memory", "let all = 'x'; for (;;) all += all", "too long"],
    ["a list beyond all memory", "return { all: new Uint8Array(2 ** 31 - 1).length }", "memory"],
  ])("%s", async (_, code, expected) => {
    const bad = call(code);
    const beside = call("return { ok: true }");
    await expect(bad).rejects.toThrow(expected);
    expect(await beside).toEqual({ ok: true });
    expect(await call("return { ok: true }")).toEqual({ ok: true });
  });

  test("several that never end, each by its own time, and not those that wait for them", async () => {
    const endless = ["a", "b", "c", "d", "e"].map((name) => call(`while ("${name}") {}`, {}, 500));
    const long = call("let sum = 0; while (sum < 3e6) sum += 1; return { sum }", {}, 20_000);
    await Promise.all(
      endless.map((each) => expect(each).rejects.toMatchObject({ code: "timed-out" })),
    );
    expect(await long).toEqual({ sum: 3e6 });
  });

  test("one that is cancelled while it waits for a thread", async () => {
    const threads = functionThreads();
    const stop = new AbortController();
    const cancel = new AbortController();
    const endless = ({ signal }: AbortController) =>
      threads.call(
        { calls: [{ code: "while (true) {}", inputs: "{}" }], limit: 60_000 },
        { timeout: 60_000, signal },
      );
    const busy = Array.from({ length: availableParallelism() + 1 }, () => endless(stop));
    const ended = Promise.allSettled(busy);
    const waiting = endless(cancel);
    cancel.abort(new Error("no more"));
    await expect(waiting).rejects.toThrow("no more");
    stop.abort(new Error("stop"));
    expect((await ended).every(({ status }) => status === "rejected")).toBe(true);
    threads.close();
  });

  test("inputs that do not fit", async () => {
    const text = "x".repeat(140_000_000);
    await expect(call("return {}", { text })).rejects.toThrow("out of memory");
  });

  test.each([
    ["that is large", "return { text: 'x'.repeat(50_000_000) }"],
    ["whose characters take many bytes", "return { text: '\u20ac'.repeat(4_000_000) }"],
    ["that a promise has", "return { text: await 'x'.repeat(50_000_000) }"],
  ])("K6: a result %s", async (_, code) => {
    await expect(call(code)).rejects.toMatchObject({
      code: "output-too-long",
      message: "The function returned more than 8 MiB.",
    });
    expect(await call("return { ok: true }")).toEqual({ ok: true });
  });

  test("K6: an error that is large is cut", async () => {
    const error = await call("throw new Error('x'.repeat(50_000_000))").catch((thrown) => thrown);
    expect(error.message.length).toBeLessThan(11_000);
  });

  test("many at once, of which some never end", async () => {
    const calls = Array.from({ length: 60 }, (_, n) =>
      n % 20 === 7 ? call("for (;;);", {}, 300) : call("return { n: inputs.n }", { n }),
    );
    const ended = await Promise.allSettled(calls);
    for (const [n, each] of ended.entries())
      if (n % 20 === 7) expect(each).toMatchObject({ reason: { code: "timed-out" } });
      else expect(each).toMatchObject({ value: { n } });
  });

  test("many at once, of which one cannot be interrupted", async () => {
    const search = "return { found: [].includes.call({ length: 2 ** 53 - 1 }, 1) }";
    const stuck = call(search, {}, 300);
    const beside = Array.from({ length: 20 }, (_, n) => call("return { n: inputs.n }", { n }));
    await expect(stuck).rejects.toMatchObject({ code: "timed-out" });
    expect(await Promise.all(beside)).toEqual(beside.map((_, n) => ({ n })));
  });

  test("one that is cancelled among many", async () => {
    const cancel = new AbortController();
    const options = { timeout: 20_000, signal: cancel.signal };
    const beside = Array.from({ length: 20 }, (_, n) => call("return { n: inputs.n }", { n }));
    const stopped = sandbox.call("return {}", {}, options);
    cancel.abort(new Error("stop"));
    await expect(stopped).rejects.toThrow("stop");
    expect(await Promise.all(beside)).toEqual(beside.map((_, n) => ({ n })));
  });

  test("a call that was cancelled before", async () => {
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(sandbox.call("return {}", {}, { timeout: 1000, signal })).rejects.toThrow("stop");
  });

  test("a cancelled call", async () => {
    const cancel = new AbortController();
    const stopped = sandbox.call("while (true) {}", {}, { timeout: 60_000, signal: cancel.signal });
    cancel.abort(new Error("stop"));
    await expect(stopped).rejects.toThrow("stop");
    expect(await call("return { ok: true }")).toEqual({ ok: true });
  });
});

test.each([
  ["an error", "throw new Error('no luck')", "Error: no luck"],
  ["a text", "throw 'no luck'", "no luck"],
  ["no object", "return 1", "it must return an object with its outputs"],
  ["a list", "return [1]", "it must return an object with its outputs"],
  ["code that is none", "return {", "SyntaxError"],
  ["what cannot be read", "throw { get message() { throw 1 } }", "cannot be displayed"],
])("%s is reported", async (_, code, expected) => {
  await expect(call(code)).rejects.toThrow(expected);
});

test("a program whose functions have answered ends by itself", () => {
  const program = `
    const { FunctionSandbox } = await import(${JSON.stringify(new URL("./function-sandbox.ts", import.meta.url))});
    const { sum } = await new FunctionSandbox().call("return { sum: inputs.a + 1 }", { a: 1 }, { timeout: 60_000 });
    console.log(sum);`;
  const words = ["--input-type=module", "--eval", program];
  const { stdout, status } = spawnSync(process.execPath, words, {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    encoding: "utf8",
    timeout: 60_000,
  });
  expect([stdout, status]).toEqual(["2\n", 0]);
});
