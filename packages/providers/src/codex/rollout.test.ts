import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chain } from "@reprise/core/conversation/slice";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { copyIn, copyOut } from "./checkpoint.ts";
import { parseRollout, readRollout } from "./rollout.ts";
import { findRollout, findRollouts } from "./rollout-files.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const id = "01a1de99-16e5-71d2-b5e3-1d85356f7723";
const recorded = readFileSync(join(import.meta.dirname, "fixtures/rollout.jsonl"), "utf8");
const lines = recorded.trimEnd().split("\n");
const parseAll = (text: string) => parseRollout(Buffer.from(text), id, hash);
const parse = async (text: string) => (await parseAll(text))?.items ?? null;
const digests = async (text: string) => (await parse(text))!.map(({ digest }) => digest);
const lineOf = (text: string) => lines.findIndex((line) => line.includes(text));

describe("parseRollout", () => {
  test("the conversation of a recorded thread, without what codex adds to it", async () => {
    expect((await parse(recorded))!.map(({ role, text }) => [role, text.slice(0, 28)])).toEqual([
      ["user", "remember APPLE-739"],
      ["assistant", "I will remember APPLE-739."],
      ["user", "run echo hi"],
      ["tool", '{"type":"function_call","id"'],
      ["tool", '{"type":"function_call_outpu'],
      ["assistant", "It said: Chunk ID: 1be4b1\nWa"],
      ["assistant", "I have seen 3 user messages."],
      ["summary", "Another language model start"],
      ["user", "echo three"],
      ["assistant", "three"],
    ]);
  });

  test("appending does not change the chain before it", async () => {
    const whole = await digests(recorded);
    for (let count = 1; count <= lines.length; count += 1) {
      const part = await digests(lines.slice(0, count).join("\n"));
      expect(chain(part, hash)).toEqual(chain(whole, hash, part.length));
    }
  });

  test("a changed message makes another history", async () => {
    const before = await digests(recorded);
    const changed = await digests(recorded.replace("remember APPLE-739", "remember APPLE-740"));
    expect(changed).toHaveLength(before.length);
    expect(changed[0]).not.toBe(before[0]);
    const gone = lines.toSpliced(lineOf("run echo hi"), 1).join("\n");
    expect(await digests(gone)).toHaveLength(before.length - 1);
  });

  test("rewound turns are gone", async () => {
    const back = (turns: number) =>
      parse(
        `${recorded}{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":${turns}}}\n`,
      );
    expect((await back(1))!.at(-1)!.role).toBe("summary");
    expect((await back(2))!.map(({ text }) => text)).toEqual([
      "remember APPLE-739",
      "I will remember APPLE-739.",
    ]);
    expect(await back(9)).toEqual([]);
  });

  test("without marks codex's own messages are recognised by how they begin", async () => {
    const message = (text: string) =>
      JSON.stringify({
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ type: "input_text", text }] },
      });
    const old = [
      "<environment_context>\n…",
      "# AGENTS.md instructions for /work",
      "<b>hello</b>",
      "hello",
    ];
    const items = await parse([lines[0], ...old.map(message)].join("\n"));
    expect(items!.map(({ text }) => text)).toEqual(["hello"]);
  });

  test.each([
    ["empty", ""],
    ["noise", "\0\0\n"],
    ["the first line is gone", lines.slice(1).join("\n")],
    ["another thread's", recorded.replaceAll(id, id.replace("01", "02"))],
    ["a line in the middle is damaged", recorded.replace('"type":"function_call"', '"type":"func')],
    ["the last line is torn", recorded.slice(0, -20)],
  ])("unreadable: %s", async (_, text) => {
    expect(await parse(text)).toBeNull();
  });
});

describe("files", () => {
  let place: string;
  const name = `sessions/2026/11/15/rollout-2026-11-15T09-45-37-${id}.jsonl`;
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(place, file)), { recursive: true });
    writeFileSync(join(place, file), text);
  };
  const aside = () => join(place, "aside");
  const head = async (thread = id) => (await findRollout({ id: thread, place }))?.name;
  beforeEach(() => {
    place = temporaryFolder("rollout");
  });
  afterEach(() => rmSync(place, { recursive: true }));

  test("is found in any day folder or outside of them; its own day comes first", async () => {
    expect(await findRollout({ id, place })).toBeUndefined();
    const flat = `sessions/rollout-2026-11-15T09-45-37-${id}.jsonl`;
    put(flat, recorded);
    put("sessions/2026/11/15/rollout-2026-11-15T09-45-37-other.jsonl", recorded);
    put(`sessions/2026/11/15/copy-of-${id}.jsonl`, recorded);
    expect(await head()).toBe(flat);
    const dayBefore = name.replaceAll("15", "14");
    put(dayBefore, recorded);
    expect(await head()).toBe(dayBefore);
    put(name, recorded);
    expect(await head()).toBe(name);
    const all = (await findRollouts({ id, place })).map((file) => file.name);
    expect(all.sort()).toEqual([dayBefore, name, flat].sort());
  });

  test("an id without a time is found too", async () => {
    const random = "ffffffff-ffff-4fff-8fff-ffffffffffff";
    const there = `sessions/2026/11/15/rollout-2026-11-15T09-45-37-${random}.jsonl`;
    put(there, recorded);
    expect(await head(random)).toBe(there);
  });

  test("missing, unreadable, whole", async () => {
    expect(await readRollout({ id, place }, hash)).toBe("missing");
    put(name, "x");
    expect(await readRollout({ id, place }, hash)).toBe("unreadable");
    put(name, recorded);
    expect(await readRollout({ id, place }, hash)).toEqual({
      items: await parse(recorded),
      bytes: Buffer.byteLength(recorded),
      compacted: false,
      totals: null,
      context: (await parseAll(recorded))?.context,
    });
  });

  test("is copied out and put back where it was; replaced files are kept", async () => {
    put(name, recorded);
    const files = await copyOut({ id, place });
    expect(files.map((file) => file.name)).toEqual([name]);

    const stray = `sessions/rollout-2026-11-15T09-45-37-${id}.jsonl`;
    put(name, "damaged");
    put(stray, "moved");
    await copyIn({ id, place }, files, aside());
    expect((await findRollouts({ id, place })).map((file) => file.name)).toEqual([name]);
    expect(readFileSync(join(place, name), "utf8")).toBe(recorded);
    expect(keptTexts()).toEqual(["damaged", "moved"]);

    rmSync(join(place, "sessions"), { recursive: true });
    expect(await copyOut({ id, place })).toEqual([]);
    await copyIn({ id, place }, files, aside());
    expect(readFileSync(join(place, name), "utf8")).toBe(recorded);
    expect(keptTexts()).toHaveLength(2);
  });

  function keptTexts(): string[] {
    return readdirSync(aside(), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
      .sort();
  }
});
