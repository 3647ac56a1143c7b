import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { copyIn, copyOut } from "./checkpoint.ts";
import { earlier, observe } from "./observe.ts";
import { relocate } from "./relocate.ts";
import { parseSession } from "./session-file.ts";

const hash = (words: string) => createHash("sha256").update(words).digest("hex");
const id = "7d1f6c52-3c0e-4a1b-9a55-2f8e0b6c41d3";
const recorded = readFileSync(join(import.meta.dirname, "fixtures/session.jsonl"), "utf8");
const lines = recorded.trimEnd().split("\n");
/** After a turn with a command, one with denied tools, one that failed, a compaction, and another turn. */
const states = [8, 15, 18, 19, 21].map((count) => `${lines.slice(0, count).join("\n")}\n`);
const parse = (text: string) => parseSession(Buffer.from(text), hash);
const items = async (text: string) => (await parse(text))!.items;
const roles = async (text: string) => (await items(text)).map(({ role }) => role).join(" ");

const header = { type: "session", version: 3, id, cwd: "/work" };
const entry = (name: string, parentId: string | null, more: object) => ({
  ...{ id: name, parentId, ...more },
});
const message = (name: string, parentId: string | null, role: string, text = name) =>
  entry(name, parentId, {
    ...{ type: "message", message: { role, content: [{ type: "text", text }] } },
  });
const file = (...entries: object[]) =>
  [header, ...entries].map((each) => `${JSON.stringify(each)}\n`).join("");

describe("session file", () => {
  test("a recorded session: tools, a failed turn, a compaction", async () => {
    expect(await roles(states[1]!)).toBe(
      "user tool tool assistant user tool tool tool tool tool tool assistant",
    );
    expect((await items(recorded))[0]).toMatchObject({ text: "run echo hi there" });
    const all = await items(recorded);
    expect(all.slice(12).map(({ role, text }) => [role, text.slice(0, 20)])).toEqual(
      [
        ["user", "hello"],
        ["summary", "<summary>\nSummed up 2"],
        ["user", "echo after"],
        ["assistant", "after"],
      ].map(([role, text]) => [role, text!.slice(0, 20)]),
    );
  });

  test("every state begins with the one before, and so does what else the model gets", async () => {
    let [before, context]: [string[], readonly string[]] = [[], []];
    for (const state of states) {
      const session = (await parse(state))!;
      const digests = session.items.map(({ digest }) => digest);
      expect(digests.slice(0, before.length)).toEqual(before);
      expect(digests.length).toBeGreaterThan(before.length);
      expect(session.context.slice(0, context.length)).toEqual(context);
      [before, context] = [digests, session.context];
    }
    expect(context.length).toBeGreaterThan(2);
  });

  test.each([
    ["an empty file", ""],
    ["no header", `${lines.slice(1).join("\n")}\n`],
    ["a header of the format before", recorded.replace('"version":3', '"version":2')],
    ["a header alone", `${lines[0]}\n`],
    ["a torn last line", recorded.slice(0, -1)],
    ["a line that is cut", recorded.replace(lines[6]!, lines[6]!.slice(0, 40))],
    ["a line that is missing in the middle", recorded.replace(`${lines[6]}\n`, "")],
    ["a line that is there twice", `${recorded}${lines[6]}\n`],
  ])("%s cannot be read", async (_, text) => {
    expect(await parse(text)).toBeNull();
  });

  test("a changed word, argument or result is another history", async () => {
    const digests = async (text: string) => (await items(text)).map(({ digest }) => digest);
    const whole = await digests(recorded);
    for (const [word, other] of [
      ["run echo hi there", "run echo ho there"],
      ['"command":"echo hi there"', '"command":"rm -r there"'],
      ['"text":"hi there\\n"', '"text":"ho there\\n"'],
      ["Summed up 2", "Summed up 3"],
    ] as const) {
      const altered = recorded.replace(word, other);
      expect(altered).not.toBe(recorded);
      expect(await digests(altered)).not.toEqual(whole);
    }
  });

  test("the branch of the last line is continued, and what was sent on others is named", async () => {
    const begun = [message("a", null, "user"), message("b", "a", "assistant")];
    const left = [message("c", "b", "user"), message("d", "c", "assistant")];
    const text = file(...begun, ...left, message("e", "b", "user"), message("f", "e", "assistant"));
    const session = (await parse(text))!;
    expect(session.items.map((item) => item.text)).toEqual(["a", "b", "e", "f"]);
    const end = Buffer.byteLength(file(...begun, left[0]!));
    expect(session.abandoned).toEqual([{ text: "c", end }]);
  });

  test("an edit of an earlier message is one more item, unless that one failed", async () => {
    const failure = entry("b", "a", {
      ...{ type: "message", message: { role: "assistant", content: [], stopReason: "error" } },
    });
    const edit = (name: string, parent: string, targetId: string) =>
      entry(name, parent, { type: "context_edit", targetId, replacement: null });
    const user = message("a", null, "user");
    expect(await roles(file(user, failure, edit("c", "b", "b")))).toBe("user");
    expect(await roles(file(user, failure, edit("c", "b", "a")))).toBe("user tool");
  });
});

describe("in a home", () => {
  let home: string;
  const name = `sessions/--work--/2026-11-19T22-34-23-097Z_${id}.jsonl`;
  const place = () => ({ id, place: home });
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  beforeEach(() => {
    home = temporaryFolder("pi-session");
  });
  afterEach(() => rmSync(home, { recursive: true }));

  test("a history is read; one that is not there, is another session's, or is there twice is not", async () => {
    expect(await observe(place(), hash)).toBe("missing");
    put(name, recorded);
    expect(await observe(place(), hash)).toMatchObject({
      ...{ bytes: Buffer.byteLength(recorded), compacted: false },
      items: { length: 16 },
    });
    put(name, recorded.replace(id, id.replace("7", "8")));
    expect(await observe(place(), hash)).toBe("unreadable");
    put(name, recorded);
    put(name.replace("--work--", "--other--"), recorded);
    expect(await observe(place(), hash)).toBe("unreadable");
  });

  test("the beginning of the file is what it was", async () => {
    put(name, recorded);
    const size = Buffer.byteLength(states[0]!);
    const [then, ...more] = await earlier(place(), size, hash);
    expect(more).toEqual([]);
    expect(then).toMatchObject({ bytes: size, items: await items(states[0]!) });
    expect(await earlier(place(), size - 5, hash)).toEqual([]);
    expect(await earlier(place(), recorded.length * 2, hash)).toEqual([]);
  });

  test("what was copied out is put back, and what was there is kept aside", async () => {
    put(name, recorded);
    const files = await copyOut(place());
    expect(files.map((each) => each.name)).toEqual([name]);
    put(name, "damaged");
    put(name.replace("--work--", "--other--"), "another copy");
    const aside = join(home, "aside");
    await copyIn(place(), files, aside);
    expect(readFileSync(join(home, name), "utf8")).toBe(recorded);
    expect(readdirSync(join(home, "sessions", "--other--"))).toEqual([]);
    const kept = readdirSync(aside).map((each) => readFileSync(join(aside, each), "utf8"));
    expect(kept.toSorted()).toEqual(["another copy", "damaged"]);
  });

  test("a file gets another id and folder in its name and its first line alone", async () => {
    const bytes = Buffer.from(recorded);
    const from = { id, folder: "/work" };
    const other = id.replace("7d1f", "8d1f");
    expect(relocate([{ name, bytes }], from, from)).toEqual([{ name, bytes }]);
    const [moved] = relocate([{ name, bytes }], from, { id: other, folder: "/a/b" });
    expect(moved!.name).toBe(`sessions/--a-b--/2026-11-19T22-34-23-097Z_${other}.jsonl`);
    const [first, ...rest] = Buffer.from(moved!.bytes).toString().split("\n");
    expect(JSON.parse(first!)).toEqual({ ...JSON.parse(lines[0]!), id: other, cwd: "/a/b" });
    expect(rest.join("\n")).toBe(recorded.slice(lines[0]!.length + 1));
    const foreign = { name: "sessions/--work--/x.jsonl", bytes };
    expect(relocate([foreign], from, { id: other, folder: "/a/b" })).toEqual([foreign]);
  });
});
