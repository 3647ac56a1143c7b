import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { copyIn, copyOut } from "./checkpoint.ts";
import { earlierSessions, findSessions, parseSession, readSession } from "./session-file.ts";

const hash = (words: string) => createHash("sha256").update(words).digest("hex");
const id = "0f5b1c1e-3a51-4d0c-9b8e-6f3f3c1f2a10";
const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, `fixtures/${name}.jsonl`), "utf8");
const recorded = fixture("session");
const lines = recorded.trimEnd().split("\n");
const parseAll = (text: string) => parseSession(Buffer.from(text), hash);
const parse = async (text: string) => (await parseAll(text))?.items ?? null;

/** A line of the file; the first letter of its id says whose it is. */
const line = (uuid: string, parentUuid: string | null, more: object = {}) => {
  const type = uuid.startsWith("u") ? "user" : "assistant";
  return { type, uuid, parentUuid, message: { content: [{ type: "text", text: uuid }] }, ...more };
};
const leaf = (leafUuid: string) => ({ type: "last-prompt", leafUuid });
const read = async (...entries: object[]) =>
  (await parse(entries.map((entry) => JSON.stringify(entry)).join("\n")))?.map(({ text }) => text);

describe("session file", () => {
  test("a recorded session: two tools at once, a failed turn, a compaction", async () => {
    const items = (await parse(recorded))!;
    expect(items.map(({ role }) => role).join(" ")).toBe(
      "user assistant user tool tool tool tool assistant user summary user assistant",
    );
    expect(items[0]).toMatchObject({ text: "remember APPLE-739" });
    expect(items[3]?.text).toContain('"command":"echo a"');
    expect(items[5]?.text).toContain('"content":"a"');
    expect(items[8]).toMatchObject({ text: "fails" });
    expect(items[9]?.text).toContain("They remembered APPLE-739.");
    expect(items.at(-1)).toMatchObject({ role: "assistant", text: "last" });
  });

  test("every noted state begins with the previous one", async () => {
    const noted = lines.flatMap((text, index) => (text.includes('"last-prompt"') ? [index] : []));
    let before: string[] = [];
    for (const index of noted) {
      const items = await parse(lines.slice(0, index + 1).join("\n"));
      const digests = items!.map(({ digest }) => digest);
      expect(digests.slice(0, before.length)).toEqual(before);
      before = digests;
    }
    expect(before).toHaveLength(12);
  });

  test("of two branches the noted one counts, with its descendants", async () => {
    const tree = [line("u1", null), line("a1", "u1"), line("u2", "a1"), line("u3", "a1")];
    const answers = [line("a2", "u2"), line("a3", "u3")];
    expect(await read(...tree, ...answers)).toEqual(["u1", "a1", "u3", "a3"]);
    expect(await read(...tree, ...answers, leaf("a2"))).toEqual(["u1", "a1", "u2", "a2"]);
    expect(await read(...tree, leaf("u2"), ...answers)).toEqual(["u1", "a1", "u2", "a2"]);
    expect(await read(...tree, ...answers, leaf("nowhere"))).toEqual(["u1", "a1", "u3", "a3"]);
  });

  test("S0j: two turns at the same moment, as recorded: the text of the branch that is not continued", async () => {
    const session = (await parseAll(fixture("two-branches")))!;
    expect(session.items.map(({ text }) => text)).toEqual([
      "remember APPLE-739",
      "I will remember APPLE-739.",
      "echo typed beside",
      "typed beside",
    ]);
    const text = fixture("two-branches");
    const end = text.indexOf("\n", text.indexOf('"role":"user","content":"echo ours"')) + 1;
    expect(session.abandoned).toEqual([{ text: "echo ours", end }]);
    expect((await parseAll(recorded))!.abandoned).toEqual([]);
  });

  test("messages of the program or a subagent are not the conversation", async () => {
    const said = (content: string, more: object = {}) => ({ message: { content }, ...more });
    expect(
      await read(
        line("u1", null),
        line("s1", "u1", { isSidechain: true }),
        line("a1", "u1", { message: { model: "<synthetic>", content: "No response requested." } }),
        line("u2", "a1", said("Continue from where you left off.", { isMeta: true })),
        line("u3", "u2", said("<command-name>/compact</command-name>")),
        line("u4", "u3", said("<local-command-stdout>x</local-command-stdout>")),
        { type: "attachment", uuid: "x", parentUuid: "u4", attachment: {} },
        line("u5", "x", said("plain")),
      ),
    ).toEqual(["u1", "plain"]);
  });

  test("a missing line hides what was before it", async () => {
    expect(await read(line("u1", null), line("u2", "a1"))).toEqual(["u2"]);
    expect(await read(line("u1", "a1"), line("a1", "u1"))).toEqual(["u1", "a1"]);
  });

  test.each([
    ["empty", ""],
    ["noise", "\0\0\n"],
    ["no message", '{"type":"mode","mode":"normal"}\n'],
    ["a line in the middle is damaged", recorded.replace('"content":"run both"', '"content":"run')],
    ["the last line is torn", recorded.slice(0, -20)],
  ])("unreadable: %s", async (_, text) => {
    expect(await parse(text)).toBeNull();
  });
});

describe("files", () => {
  let place: string;
  const name = `projects/-home-user-project/${id}.jsonl`;
  const result = `projects/-home-user-project/${id}/tool-results/toolu_1.txt`;
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(place, file)), { recursive: true });
    writeFileSync(join(place, file), text);
  };
  const get = (file: string) => readFileSync(join(place, file), "utf8");
  beforeEach(() => {
    place = temporaryFolder("session");
  });
  afterEach(() => rmSync(place, { recursive: true }));

  test("missing, unreadable, whole; a second copy makes it unreadable", async () => {
    expect(await readSession({ id, place }, hash)).toBe("missing");
    put("projects/a-file", "x");
    put(name, "x");
    expect(await readSession({ id, place }, hash)).toBe("unreadable");
    put(name, recorded);
    expect(await readSession({ id, place }, hash)).toEqual({
      items: await parse(recorded),
      bytes: Buffer.byteLength(recorded),
      compacted: false,
      context: expect.any(Array),
    });
    put(`projects/-elsewhere/${id}.jsonl`, recorded);
    expect(await readSession({ id, place }, hash)).toBe("unreadable");
  });

  test("is copied out with its folder and put back; replaced files are kept", async () => {
    const handle = { id, place };
    put(name, recorded);
    put(result, "long");
    put("projects/-home-user-project/other.jsonl", "other");
    const files = await copyOut(handle);
    expect(files.map((file) => file.name)).toEqual([name, result]);

    const aside = join(place, "aside");
    const stray = `projects/-elsewhere/${id}.jsonl`;
    put(name, "damaged");
    put(stray, "copied");
    await copyIn(handle, files, aside);
    expect(await findSessions(handle)).toEqual([name]);
    expect(get(name)).toBe(recorded);
    // Unchanged files are neither kept aside nor written again.
    expect(readdirSync(aside).toSorted()).toEqual([`${id}.jsonl`, `${id}.jsonl.2`]);

    rmSync(join(place, "projects"), { recursive: true });
    expect(await copyOut(handle)).toEqual([]);
    await copyIn(handle, files, aside);
    expect([get(name), get(result)]).toEqual([recorded, "long"]);
  });

  test("S0d: an earlier state is its beginning, whichever branch is current", async () => {
    const lines = (...entries: object[]) =>
      entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    const before = lines(
      line("u1", null),
      line("a1", "u1"),
      line("u2", "a1"),
      line("a2", "u2"),
      leaf("a2"),
    );
    put(name, before + lines(line("u3", "a1"), line("a3", "u3"), leaf("a3")));
    const texts = (history: Awaited<ReturnType<typeof readSession>>) =>
      typeof history === "string" ? history : history.items.map(({ text }) => text);
    const handle = { id, place };
    expect(texts(await readSession(handle, hash))).toEqual(["u1", "a1", "u3", "a3"]);
    const then = await earlierSessions(handle, Buffer.byteLength(before), hash);
    expect(then.map(texts)).toEqual([["u1", "a1", "u2", "a2"]]);
    expect(await earlierSessions(handle, 1_000_000, hash)).toEqual([]);
    expect(await earlierSessions(handle, Buffer.byteLength(before) - 5, hash)).toEqual([]);
  });

  test("S0i: the program's messages to the model and long tool results are its context", async () => {
    const attached = (text: string) => ({ type: "attachment", uuid: "x", attachment: { text } });
    const named = line("u1", null, {
      message: { content: `kept in /home/me/.claude/projects/-p/${id}/tool-results/toolu_1.txt.` },
    });
    const context = async (...entries: object[]) => {
      put(name, entries.map((entry) => JSON.stringify(entry)).join("\n"));
      const history = await readSession({ id, place }, hash);
      return typeof history === "string" ? [] : (history.context ?? []);
    };
    put(result, "long");
    const [prompt, output, ...rest] = await context(attached("be kind"), named, named);
    expect(rest).toEqual([]);
    expect(await context(attached("be kind"), named, attached("more"))).toEqual([
      prompt,
      output,
      expect.any(String),
    ]);
    expect(await context(attached("be rude"), named)).toEqual([
      expect.not.stringContaining(prompt!),
      output,
    ]);
    put(result, "lone");
    expect(await context(attached("be kind"), named)).toEqual([
      prompt,
      expect.not.stringContaining(output!),
    ]);
    rmSync(join(place, result));
    expect(await context(attached("be kind"), named)).toEqual([
      prompt,
      expect.not.stringContaining(output!),
    ]);
  });
});
