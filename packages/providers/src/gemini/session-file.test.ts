import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { copyIn, copyOut } from "./checkpoint.ts";
import { earlier, observe } from "./observe.ts";
import { relocate, slugFor } from "./relocate.ts";
import { itemsOf, normalized, parseSession } from "./session-file.ts";
import { ownName } from "./session-files.ts";

const hash = (words: string) => createHash("sha256").update(words).digest("hex");
const id = "7d1f6c52-3c0e-4a1b-9a55-2f8e0b6c41d3";
const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, `fixtures/${name}.jsonl`), "utf8");
const recorded = fixture("session");
const empty = fixture("empty-session");
const lines = recorded.trimEnd().split("\n");
/** After each of the three turns. */
const states = [11, 17, 28].map((count) => `${lines.slice(0, count).join("\n")}\n`);
const parse = (text: string) => parseSession(Buffer.from(text));
const items = async (text: string) => itemsOf((await parse(text))!.messages, hash);
const texts = async (text: string) => (await items(text)).map((item) => item.text);

const header = { sessionId: id, projectHash: "x" };
const user = (name: string, text = name) => ({ id: name, type: "user", content: [{ text }] });
const said = (name: string, text = name) => ({ id: name, type: "gemini", content: text });
const file = (...entries: object[]) =>
  [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join("");

describe("session file", () => {
  test("a recorded session: a command, a resumed turn, three tools at once of which two were denied", async () => {
    const all = await items(recorded);
    expect(all.map(({ role }) => role).join(" ")).toBe(
      "user tool tool assistant user assistant user tool tool tool tool tool tool assistant",
    );
    expect(all[0]).toMatchObject({ text: "run echo hi there" });
    expect(all[1]?.text).toContain('"command":"echo hi there"');
    expect(all.at(-1)).toMatchObject({ role: "assistant", text: "done" });
  });

  test("every state begins with the one before, although a resume writes all messages anew", async () => {
    const digests = async (text: string) => (await items(text)).map(({ digest }) => digest);
    let before: string[] = [];
    for (const state of states) {
      const after = await digests(state);
      expect(after.slice(0, before.length)).toEqual(before);
      expect(after.length).toBeGreaterThan(before.length);
      before = after;
    }
  });

  test("a normalized session has the same items, only grows, and is smaller", async () => {
    let before = Buffer.alloc(0);
    for (const state of states) {
      const whole = Buffer.from(normalized((await parse(state))!));
      expect(whole.subarray(0, before.length).equals(before)).toBe(true);
      expect(await items(whole.toString())).toEqual(await items(state));
      before = whole;
    }
    expect(before.length).toBeLessThan(recorded.length / 2);
    expect(Buffer.from(normalized((await parse(before.toString()))!)).equals(before)).toBe(true);
  });

  test("what gemini leaves out of a resumed conversation does not count", async () => {
    const left = [
      user("a", " /clear"),
      user("b", "?"),
      user("c", "<hook_context>x</hook_context>"),
    ];
    const info = { id: "d", type: "info", content: "Imported" };
    expect(await texts(file(...left, info, user("e", "\\/clear"), said("f")))).toEqual([
      ...["\\/clear", "f"],
    ]);
  });

  test("messages are replaced and taken back", async () => {
    const all = { $set: { messages: [user("c"), said("d")] } };
    expect(await texts(file(user("a"), said("b"), all, user("e")))).toEqual(["c", "d", "e"]);
    const back = (name: string) => ({ $rewindTo: name });
    expect(await texts(file(user("a"), said("b"), user("c"), back("c")))).toEqual(["a", "b"]);
    expect(await texts(file(user("a"), back("unknown"), user("c")))).toEqual(["c"]);
  });

  test("a compression of gemini's own is a summary", async () => {
    const answer = "Got it. Thanks for the additional context!";
    const messages = [user("a", "<state_snapshot>…"), said("b", answer), user("c")];
    const roles = (await items(file({ $set: { messages } }))).map(({ role }) => role);
    expect(roles).toEqual(["summary", "assistant", "user"]);
  });

  test.each([
    ["a line that is cut", recorded.replace('{"id"', '{"i')],
    ["a torn end", recorded.slice(0, -30)],
    ["a last line without an end", recorded.slice(0, -1)],
    ["no header", lines.slice(1).join("\n")],
    ["nothing", ""],
  ])("%s cannot be read", async (_, text) => {
    expect(await parse(text)).toBeNull();
  });
});

describe("in a home", () => {
  let place: string;
  let aside: string;
  beforeEach(() => {
    place = temporaryFolder("gemini-home");
    aside = join(place, "aside");
  });
  afterEach(() => rmSync(place, { recursive: true }));

  const chats = ".gemini/tmp/work/chats";
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), text);
  };
  const own = `${chats}/session-2026-11-19T18-23-${id.slice(0, 8)}.jsonl`;
  const handle = () => ({ id, place });
  const roles = async () => {
    const seen = await observe(handle(), hash);
    return typeof seen === "string" ? seen : seen.items.length;
  };
  const root = () => put(".gemini/tmp/work/.project_root", "/home/me/work");

  test("is found beside empty files and other sessions", async () => {
    expect(await roles()).toBe("missing");
    put(own.replace("2026", "2027"), empty);
    put(
      `${chats}/session-2026-${id.slice(0, 8)}.jsonl`,
      file().replaceAll(id, `${id.slice(0, 8)}-x`),
    );
    expect(await roles()).toBe("missing");
    put(own, recorded);
    expect(await roles()).toBe(14);
    put(`.gemini/tmp/other/chats/${ownName(id)}`, recorded);
    expect(await roles()).toBe("unreadable");
  });

  test("a damaged file is unreadable, and nothing of it is copied", async () => {
    put(own, recorded.slice(0, -30));
    expect(await roles()).toBe("unreadable");
    expect(await copyOut(handle())).toEqual([]);
  });

  test("what it was before a rewind can be read", async () => {
    put(own, file(user("a"), said("b"), user("c")));
    expect(await earlier(handle(), 0, hash)).toEqual([]);
    const back = (name: string) => ({ $rewindTo: name });
    put(own, file(user("a"), said("b"), user("c"), back("c"), user("d"), back("a"), user("e")));
    const then = await earlier(handle(), 0, hash);
    expect(then.map(({ items }) => items.map(({ text }) => text).join(""))).toEqual(["abc", "abd"]);
  });

  test("is put back where it was, and what is found is kept aside", async () => {
    put(own, recorded);
    put(".gemini/tmp/work/tool-outputs/session-other/1.txt", "not ours");
    put(`.gemini/tmp/work/tool-outputs/session-${id}/1.txt`, "long");
    root();
    const files = await copyOut(handle());
    expect(files.map(({ name }) => name)).toEqual([
      own,
      ".gemini/tmp/work/.project_root",
      `.gemini/tmp/work/tool-outputs/session-${id}/1.txt`,
    ]);
    rmSync(join(place, own));
    put(`${chats}/${ownName(id)}`, states[0]!);
    await copyIn(handle(), files, aside);
    expect(readdirSync(join(place, chats))).toEqual([basename(own)]);
    expect(readFileSync(join(aside, ownName(id)), "utf8")).toBe(states[0]);
    expect(await roles()).toBe(14);
    expect(await copyOut(handle())).toEqual(files);
  });

  test("a copy from before the file was renamed is not put back beside it", async () => {
    const bytes = (text: string) => new Uint8Array(Buffer.from(text));
    const files = [
      { name: own, bytes: bytes(states[0]!) },
      { name: ".gemini/tmp/work/.project_root", bytes: bytes("/home/me/work") },
      { name: `${chats}/${ownName(id)}`, bytes: bytes(recorded) },
    ];
    await copyIn(handle(), files, aside);
    expect(readdirSync(join(place, chats))).toEqual([ownName(id)]);
    expect(await roles()).toBe(14);
    const to = { id: "22222222-2222-4222-8222-222222222222", folder: "/home/me/work" };
    const forked = relocate(files, { id, folder: to.folder }, to);
    expect(forked.map(({ name }) => name)).toEqual([
      ".gemini/tmp/work/.project_root",
      `${chats}/${ownName(to.id)}`,
    ]);
    expect(forked[1]?.bytes.length).toBe(recorded.length);
  });

  test("in another home it goes where that home has the project, and never into another project's folder", async () => {
    put(own, recorded);
    root();
    const files = await copyOut(handle());
    rmSync(join(place, ".gemini"), { recursive: true });
    put(".gemini/tmp/work/.project_root", "/home/you/work");
    await copyIn(handle(), files, aside);
    const slugs = () => readdirSync(join(place, ".gemini/tmp"));
    expect(slugs()).toEqual(["work", "work-1"]);
    expect(readFileSync(join(place, ".gemini/tmp/work-1/.project_root"), "utf8")).toBe(
      "/home/me/work",
    );
    expect(readdirSync(join(place, ".gemini/tmp/work"))).toEqual([".project_root"]);
    rmSync(join(place, ".gemini"), { recursive: true });
    put(".gemini/tmp/theirs/.project_root", "/home/me/work");
    await copyIn(handle(), files, aside);
    expect(slugs()).toEqual(["theirs"]);
    expect(await roles()).toBe(14);
  });

  test("for another folder and another id all names and the header say so, and the conversation stays", async () => {
    put(own, recorded);
    put(`${chats}/${id}/agent.jsonl`, "{}");
    root();
    const files = await copyOut(handle());
    const to = { id: "22222222-2222-4222-8222-222222222222", folder: "/home/me/other Work" };
    const moved = relocate(files, { id, folder: "/home/me/work" }, to);
    const slug = slugFor(to.folder);
    expect(slug).toMatch(/^other-work-[0-9a-f]{12}$/);
    expect(moved.map(({ name }) => name)).toEqual([
      `.gemini/tmp/${slug}/chats/${ownName(to.id)}`,
      `.gemini/tmp/${slug}/.project_root`,
      `.gemini/tmp/${slug}/chats/${to.id}/agent.jsonl`,
    ]);
    expect(Buffer.from(moved[1]!.bytes).toString()).toBe(to.folder);
    await copyIn({ id: to.id, place }, moved, aside);
    const forked = await observe({ id: to.id, place }, hash);
    expect(forked).toMatchObject({ items: await items(recorded) });
    expect(await roles()).toBe(14);
  });
});
