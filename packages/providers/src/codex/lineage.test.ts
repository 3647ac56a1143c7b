import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { History } from "@reprise/core/session/history";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyIn, copyOut } from "./checkpoint.ts";
import { readRollout } from "./rollout.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const parent = "01a1ddf1-cfc9-7c53-bac8-de4e7dd04c0b";
const child = "01a1ded3-9ef4-7d13-a935-22ad2594f188";
const grandchild = "01a1ded4-3e93-7b62-876f-f1b9eb519d90";

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "reprise-lineage-"));
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
  // Both have gone on since they were forked.
  put(parent, first + said("user", "of the parent alone"));
  put(child, second + said("user", "of the child alone"));
  put(grandchild, third);
});

test("a fork has what its source had when it was forked, and what came after", async () => {
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

test("threads that name each other are no lineage", async () => {
  put(parent, meta(parent, { id: child, text: "" }) + said("user", "one"));
  expect(await observe(child)).toBe("unreadable");
});

test("goes out with its past, which is put back only where it is not there any more", async () => {
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
