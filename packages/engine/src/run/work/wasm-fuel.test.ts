import { expect, test } from "vitest";
import { withFuel } from "./wasm-fuel.ts";

interface Instance {
  readonly exports: {
    readonly count: (times: number) => number;
    readonly own: { value: number };
    readonly fuel: { value: number };
  };
}

/** The types of Node do not have it. */
interface Wasm {
  readonly Global: new (type: object, value: number) => object;
  instantiate(module: Uint8Array, imports: object): Promise<{ readonly instance: Instance }>;
}

const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: Wasm };

const list = (...entries: number[][]) => [entries.length, ...entries.flat()];
const section = (id: number, content: number[]) => [id, content.length, ...content];
const name = (text: string) => [text.length, ...Buffer.from(text)];
const i32 = 0x7f;

/** A module whose `count` runs its loop the given number of times; `before` comes before the loop. */
function counting(before: number[] = []): Uint8Array {
  const loop = [0x03, 0x40, 0x20, 1, 0x41, 1, 0x6a, 0x22, 1, 0x20, 0, 0x49, 0x0d, 0, 0x0b];
  const body = [...list([1, i32]), ...before, ...loop, 0x20, 1, 0x0b];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list([0x60, ...list([i32]), ...list([i32])])),
    ...section(2, list([...name("host"), ...name("given"), 3, i32, 0])),
    ...section(3, list([0])),
    ...section(5, list([0, 1])),
    ...section(6, list([i32, 1, 0x41, 7, 0x0b])),
    ...section(7, list([...name("count"), 0, 0], [...name("own"), 3, 1])),
    ...section(10, list([body.length, ...body])),
    ...section(0, [...name("notes"), 1, 2, 3]),
  ]);
}

async function open(module: Uint8Array) {
  const given = new wasm.Global({ value: "i32", mutable: false }, 5);
  const { instance } = await wasm.instantiate(withFuel(module), { host: { given } });
  return instance.exports;
}

test("each turn of a loop takes one unit", async () => {
  const { count, fuel } = await open(counting());
  fuel.value = 10;
  expect(count(7)).toBe(7);
  expect(fuel.value).toBe(3);
});

test("without fuel it stops, and runs again once it has some", async () => {
  const { count, fuel } = await open(counting());
  fuel.value = 10;
  expect(count(10)).toBe(10);
  expect(() => count(1)).toThrow("unreachable");
  fuel.value = 1;
  expect(count(1)).toBe(1);
});

test("at first it is full, and what the module has itself is what it was", async () => {
  const { count, own } = await open(counting());
  expect(count(100_000)).toBe(100_000);
  expect(own.value).toBe(7);
});

test.each([
  ["a number that looks like loops", [0x44, ...Array(4).fill([0x03, 0x40]).flat(), 0x1a]],
  ["a short number", [0x43, 0x03, 0x40, 0x03, 0x40, 0x1a]],
  ["a long number", [0x42, 0x83, 0x80, 0x03, 0x1a]],
  ["a table of labels", [0x02, 0x40, 0x41, 0, 0x0e, 2, 0, 0, 0, 0x0b]],
  ["a choice by type", [0x41, 3, 0x41, 3, 0x41, 3, 0x1c, 1, i32, 0x1a]],
  ["memory", [0x41, 0, 0x41, 3, 0x36, 2, 3, 0x41, 0, 0x28, 2, 3, 0x1a, 0x3f, 0, 0x1a]],
  ["what fills memory", [0x41, 0, 0x41, 3, 0x41, 3, 0xfc, 11, 0]],
  ["a conversion", [0x43, 0, 0, 0, 0, 0xfc, 1, 0x1a]],
])("%s is read over", async (_, before) => {
  const { count, fuel } = await open(counting(before));
  fuel.value = 3;
  expect(count(3)).toBe(3);
  expect(fuel.value).toBe(0);
});

test.each([
  ["vectors", [0xfd, 12, ...Array(16).fill(0), 0x1a]],
  ["exceptions", [0x06, 0x40, 0x0b]],
  ["what comes later", [0xfc, 18]],
])("%s are refused, since what follows could not be read", (_, before) => {
  expect(() => withFuel(counting(before))).toThrow("Unknown instruction");
});

test("so is a module that ends too early", () => {
  expect(() => withFuel(counting().subarray(0, 60))).toThrow("ends too early");
});
