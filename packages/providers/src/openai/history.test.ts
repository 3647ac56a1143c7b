import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { copyIn, copyOut, readHistory, relocate } from "./history.ts";
import type { StoredMessage } from "./message.ts";
import { stateName, stateText } from "./state.ts";

const id = "11111111-1111-4111-8111-111111111111";
const other = "22222222-2222-4222-8222-222222222222";
const messages: readonly StoredMessage[] = [
  { role: "summary", content: "APPLE-739" },
  { role: "user", content: "one" },
  { role: "assistant", content: "", calls: [{ id: "a", name: "ls", arguments: "{}" }] },
  { role: "tool", content: "a.txt", call: "a" },
  { role: "assistant", content: "yes", model: "m" },
];
const hash = (text: string) => text;

function handleWith(text: string | null) {
  const place = temporaryFolder("openai-history");
  mkdirSync(join(place, "sessions"));
  if (text !== null) writeFileSync(join(place, stateName(id)), text);
  return { id, place };
}

test("each message is an item; a message that asks for tools is not an answer", async () => {
  const text = stateText({ id, messages });
  expect(await readHistory(handleWith(text), hash)).toMatchObject({
    items: [
      { role: "summary", text: "APPLE-739" },
      { role: "user", text: "one", digest: "user\none" },
      { role: "tool" },
      { role: "tool" },
      { role: "assistant", text: "yes" },
    ],
    bytes: text.length,
    compacted: true,
  });
});

test("the model is not a part of a message: another one does not change the history", async () => {
  const of = (model: string) =>
    readHistory(handleWith(stateText({ id, messages: [{ ...messages[4]!, model }] })), hash);
  const [one, two] = [await of("small"), await of("large")];
  expect(one).toMatchObject({ items: (two as { items: unknown }).items });
});

test("missing, damaged, of another conversation, or of a later version", async () => {
  const text = stateText({ id, messages });
  expect(await readHistory(handleWith(null), hash)).toBe("missing");
  expect(await readHistory(handleWith(text.slice(0, -9)), hash)).toBe("unreadable");
  expect(await readHistory(handleWith(stateText({ id: other, messages })), hash)).toBe(
    "unreadable",
  );
  const newer = readHistory(handleWith(text.replace('"version":1', '"version":2')), hash);
  await expect(newer).rejects.toMatchObject({ code: "history-newer" });
});

test("a copy under another id has the same history, and can be put back", async () => {
  const handle = handleWith(stateText({ id, messages }));
  const before = await readHistory(handle, hash);
  const location = (of: string) => ({ id: of, folder: "/work" });
  const copy = relocate(await copyOut(handle), location(id), location(other));
  expect(copy.map(({ name }) => name)).toEqual([stateName(other)]);
  await copyIn({ ...handle, id: other }, copy, join(handle.place, "aside"));
  expect(await readHistory({ ...handle, id: other }, hash)).toEqual(before);
  expect(await readHistory(handle, hash)).toEqual(before);
  const strange = [{ name: "notes.txt", bytes: Buffer.from("x") }];
  expect(relocate(strange, location(id), location(other))).toEqual(strange);
});
