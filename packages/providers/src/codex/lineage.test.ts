import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { History } from "@reprise/core/session/history";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { copyIn, copyOut } from "./checkpoint.ts";
import { earlierRollouts, readRollout } from "./rollout.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const parent = "01a1ddf1-cfc9-7c53-bac8-de4e7dd04c0b";
const child = "01a1ded3-9ef4-7d13-a935-22ad2594f188";
const grandchild = "01a1ded4-3e93-7b62-876f-f1b9eb519d90";

let place: string;
beforeEach(() => {
  place = temporaryFolder("lineage");
});
afterEach(() => rmSync(place, { recursive: true }));

const line = (type: string, payload: object) => `${JSON.stringify({ type, payload })}\n`;
const said = (role: "user" | "assistant", text: string) =>
  line("response_item", { type: "message", role, content: [{ text }] });
const counted = (input_tokens: number) =>
  line("event_msg", { type: "token_count", info: { total_token_usage: { input_tokens } } });
const nameOf = (id: string) => `sessions/2026/11/15/rollout-2026-11-15T09-45-37-${id}.jsonl`;
const put = (id: string, text: string) => {
  const file = join(place, nameOf(id));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const read = (id: string) => readFileSync(join(place, nameOf(id)), "utf8");
const meta = (id: string, base?: { id: string; text: string }) =>
  line("session_meta", {
    id,
    ...(base && {
      history_base: { thread_id: base.id, end_byte_offset: Buffer.byteLength(base.text) },
    }),
  });

const first = meta(parent) + said("user", "one") + said("assistant", "Grüße") + counted(10);
const second = meta(child, { id: parent, text: first }) + said("user", "two") + counted(25);
const third = meta(grandchild, { id: child, text: second }) + said("user", "three");

const observe = (id: string) => readRollout({ id, place }, hash);
const words = (history: History | string) =>
  typeof history === "string" ? history : history.items.map(({ text }) => text);

beforeEach(() => {
  // Both have grown since they were forked.
  put(parent, first + said("user", "of the parent alone"));
  put(child, second + said("user", "of the child alone"));
  put(grandchild, third);
});

test("a fork has its source's history up to the fork, and its own after it", async () => {
  expect(words(await observe(child))).toEqual(["one", "Grüße", "two", "of the child alone"]);
  const history = await observe(grandchild);
  expect(words(history)).toEqual(["one", "Grüße", "two", "three"]);
  expect(history).toMatchObject({
    bytes: Buffer.byteLength(first + second + third),
    totals: { uncached: 25 },
  });
});

test.each([
  ["is not there", () => rmSync(join(place, nameOf(parent)))],
  ["was cut off before the fork", () => put(parent, first.slice(0, -5))],
  ["is damaged before the fork", () => put(parent, first.replace('"one"', "\0\0\0\0\0"))],
  ["is another thread's", () => put(parent, first.replaceAll(parent, grandchild))],
])("a source that %s makes the fork unreadable", async (_, damage) => {
  damage();
  expect(await observe(grandchild)).toBe("unreadable");
  expect(words(await observe(child))).toBe("unreadable");
});

test("threads that name each other have no lineage", async () => {
  put(parent, meta(parent, { id: child, text: "" }) + said("user", "one"));
  expect(await observe(child)).toBe("unreadable");
});

test("is copied out with its sources, which are put back only where they are missing", async () => {
  const handle = { id: grandchild, place };
  const files = await copyOut(handle);
  expect(files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
    [nameOf(parent), first],
    [nameOf(child), second],
    [nameOf(grandchild), third],
  ]);
  const gone = read(child);
  rmSync(join(place, nameOf(parent)));
  put(grandchild, "damaged");
  await copyIn(handle, files, join(place, "aside"));
  expect([read(parent), read(child), read(grandchild)]).toEqual([first, gone, third]);
});

test("S0c: a thread's history is its newest segment, with what that one continues", async () => {
  const [one, two, three] = ["01a1ded3-0000", "01a1ded3-1111", "01a1ded3-2222"].map(
    (id) => `${id}-7d13-a935-22ad2594f188`,
  ) as [string, string, string];
  const name = (segment: string) => nameOf(`${parent}_${segment}`);
  const putSegment = (segment: string, text: string) =>
    writeFileSync(join(place, name(segment)), text);
  const whole = Buffer.byteLength(first + said("user", "of the parent alone"));

  // Rewind to before the parent's own turns, and continue from there.
  const rewound = meta(parent, { id: parent, text: first }) + said("user", "instead");
  putSegment(one, rewound);
  expect(words(await observe(parent))).toEqual(["one", "Grüße", "instead"]);
  const before = await earlierRollouts({ id: parent, place }, whole, hash);
  expect(before.map(words)).toEqual([["one", "Grüße", "of the parent alone"]]);
  expect(
    (await earlierRollouts({ id: parent, place }, whole + 1_000_000, hash)).map(words),
  ).toEqual([]);

  // Rewind to before the first prompt: nothing is continued.
  putSegment(two, meta(parent) + said("user", "from the beginning"));
  expect(words(await observe(parent))).toEqual(["from the beginning"]);
  putSegment(three, meta(parent, { id: two, text: meta(parent) }) + said("user", "again"));
  expect(words(await observe(parent))).toEqual(["again"]);

  const handle = { id: parent, place };
  const files = await copyOut(handle);
  expect(files.map((file) => file.name).toSorted()).toEqual(
    [nameOf(parent), name(one), name(two), name(three)].toSorted(),
  );
  // A fork may begin with a segment of another thread.
  put(grandchild, meta(grandchild, { id: one, text: rewound }) + said("user", "forked"));
  expect(words(await observe(grandchild))).toEqual(["one", "Grüße", "instead", "forked"]);

  putSegment(three, "damaged");
  expect(await observe(parent)).toBe("unreadable");
  rmSync(join(place, name(one)));
  await copyIn(handle, files, join(place, "aside"));
  expect(words(await observe(parent))).toEqual(["again"]);
  expect(words(await observe(grandchild))).toEqual(["one", "Grüße", "instead", "forked"]);
});

test("S0c: an older state is put back where codex looks: at the newest segment", async () => {
  const segment = "01a1ded3-9ef4-7d13-a935-22ad2594f188";
  const handle = { id: parent, place };
  const files = await copyOut(handle);
  const newest = nameOf(`${parent}_${segment}`);
  writeFileSync(join(place, newest), "damaged");
  writeFileSync(join(place, nameOf(`${parent}_01a1ded2-9ef4-7d13-a935-22ad2594f188`)), "between");
  await copyIn(handle, files, join(place, "aside"));
  expect(words(await observe(parent))).toEqual(["one", "Grüße", "of the parent alone"]);
  expect(readFileSync(join(place, newest), "utf8")).toBe(read(parent));
});

test("S0c: a second file with an unknown kind of name is never overlooked", async () => {
  writeFileSync(join(place, nameOf(`${parent}_copy`)), first);
  const found = await observe(parent);
  expect(words(found)).toEqual(["one", "Grüße"]);
});
