import { expect, test } from "vitest";
import { relocate } from "./relocate.ts";

const from = { id: "11111111-1111-4111-8111-111111111111", folder: "/home/me/a" };
const to = { id: "22222222-2222-4222-8222-222222222222", folder: "/home/me/b.c" };
const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const files = [
  {
    name: `projects/-home-me-a/${from.id}.jsonl`,
    bytes: bytes(`{"sessionId":"${from.id}","text":"my id is ${from.id}"}\n`),
  },
  { name: `projects/-home-me-a/${from.id}/tool-results/1.txt`, bytes: bytes("long") },
  { name: "settings.json", bytes: bytes("{}") },
];
const read = (relocated: ReturnType<typeof relocate>) =>
  relocated.map((file) => [file.name, Buffer.from(file.bytes).toString()]);

test("for another id every line names it, and the conversation stays", () => {
  expect(read(relocate(files, from, { ...from, id: to.id }))).toEqual([
    [
      `projects/-home-me-a/${to.id}.jsonl`,
      `{"sessionId":"${to.id}","text":"my id is ${from.id}"}\n`,
    ],
    [`projects/-home-me-a/${to.id}/tool-results/1.txt`, "long"],
    ["settings.json", "{}"],
  ]);
});

test("for another folder it is where claude looks for that folder's sessions", () => {
  expect(read(relocate(files, from, { ...to, id: from.id })).map(([name]) => name)).toEqual([
    `projects/-home-me-b-c/${from.id}.jsonl`,
    `projects/-home-me-b-c/${from.id}/tool-results/1.txt`,
    "settings.json",
  ]);
});
