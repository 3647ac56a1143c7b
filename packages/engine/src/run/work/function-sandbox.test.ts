import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import { FunctionSandbox, restrictions } from "./function-sandbox.ts";

const sandbox = new FunctionSandbox();
afterAll(() => sandbox.close());

const call = (code: string, inputs = {}, timeout = 20_000) =>
  sandbox.call(code, inputs, { timeout });

test("code gets its inputs and gives its outputs", async () => {
  expect(await call("return { sum: inputs.a + inputs.b }", { a: 1, b: 2 })).toEqual({ sum: 3 });
});

test("code may have types, and wait", async () => {
  const code = "const text: string = await Promise.resolve(inputs.text); return { text };";
  expect(await call(code, { text: "x" })).toEqual({ text: "x" });
});

describe("nothing outside can be reached", () => {
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
  ])("%s", async (_, code) => {
    await expect(call(code)).rejects.toMatchObject({ code: "function-failed" });
  });

  test("nor by the process that the code runs in", () => {
    const attempts = `
      const tried = (what) => { try { what(); return "allowed"; } catch ({ code }) { return code; } };
      console.log(JSON.stringify([
        tried(() => require("node:fs").readFileSync("/etc/hostname")),
        tried(() => require("node:fs").writeFileSync("/tmp/never", "")),
        tried(() => require("node:child_process").spawnSync("true")),
        tried(() => new (require("node:worker_threads").Worker)("1", { eval: true })),
        process.permission.has("net"),
      ]));`;
    const flags = [...restrictions("/nowhere"), "-e", attempts];
    const { stdout } = spawnSync(process.execPath, flags, { env: {}, encoding: "utf8" });
    expect(JSON.parse(stdout)).toEqual([...Array(4).fill("ERR_ACCESS_DENIED"), false]);
  });
});

describe("what does not behave costs only itself", () => {
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

  test("a promise that never settles", async () => {
    await expect(call("await new Promise(() => {})", {}, 200)).rejects.toMatchObject({
      code: "timed-out",
    });
  });

  test("all the memory there is", async () => {
    const greedy = call("const all = []; while (true) all.push(new Array(1e6).fill(1));");
    const beside = call("return { ok: true }");
    await expect(greedy).rejects.toMatchObject({ code: "function-crashed" });
    expect(await beside).toEqual({ ok: true });
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
  ["what can not be read", "throw { get message() { throw 1 } }", "can not be shown"],
])("%s is told", async (_, code, told) => {
  await expect(call(code)).rejects.toThrow(told);
});
