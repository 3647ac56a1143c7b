import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { copyOut as copySession } from "./claude/checkpoint.ts";
import { findSessions, readSession } from "./claude/session-file.ts";
import { copyOut as copyRollout } from "./codex/checkpoint.ts";
import { readRollout } from "./codex/rollout.ts";
import { listIfThere, readIfThere, readOnce } from "./files.ts";
import { copyOut as copyHistory, readHistory } from "./scripted/files.ts";

const hash = (text: string) => text;
const id = "01a1ddf1-cfc9-7c53-bac8-de4e7dd04c0b";

let place: string;
beforeEach(() => {
  place = temporaryFolder("files");
});
afterEach(() => rmSync(place, { recursive: true }));

test("S15: a file that does not exist is missing, and so is a path below a file", async () => {
  writeFileSync(join(place, "file"), "x");
  expect(await readIfThere(join(place, "none"))).toBeNull();
  expect(await readIfThere(join(place, "file", "below"))).toBeNull();
  expect(await listIfThere(join(place, "none"))).toEqual([]);
  expect(await listIfThere(join(place, "file"))).toEqual([]);
});

test("S15: any other error names the file and says what to do", async () => {
  const loop = join(place, "loop");
  symlinkSync(loop, loop);
  for (const read of [() => readIfThere(loop), () => listIfThere(loop)])
    await expect(read()).rejects.toMatchObject({
      code: "history-unread",
      message: `The provider's file ${loop} cannot be read: ELOOP.`,
      hint: expect.stringContaining('the option "continuity: reseed"'),
    });
});

test("a source reads each file and folder once, and again only what could not be read", async () => {
  const source = readOnce();
  const [file, folder] = [join(place, "file"), join(place, "folder")];
  expect(await source.readIfThere(file)).toBeNull();
  expect(await source.listIfThere(folder)).toEqual([]);
  mkdirSync(file);
  mkdirSync(join(folder, "one"), { recursive: true });
  expect(await source.readIfThere(file)).toBeNull();
  expect(await source.listIfThere(folder)).toEqual([]);
  expect(await source.listIfThere(folder, { recursive: true })).toHaveLength(1);

  const again = readOnce();
  await expect(again.readIfThere(file)).rejects.toMatchObject({ code: "history-unread" });
  rmSync(file, { recursive: true });
  writeFileSync(file, "x");
  expect(Buffer.from((await again.readIfThere(file))!).toString()).toBe("x");
});

describe("what is copied out is what was observed", () => {
  const sessions = {
    claude: [`projects/-work/${id}.jsonl`, readSession, copySession],
    codex: [
      `sessions/2026/11/15/rollout-2026-11-15T09-45-37-${id}.jsonl`,
      readRollout,
      copyRollout,
    ],
    scripted: [`sessions/${id}.jsonl`, readHistory, copyHistory],
  } as const;

  test.each(Object.entries(sessions))("%s", async (_, [name, observe, copyOut]) => {
    mkdirSync(join(place, name, ".."), { recursive: true });
    writeFileSync(join(place, name), "judged\n");
    const source = readOnce();
    await observe({ id, place }, hash, source);
    appendFileSync(join(place, name), "later\n");
    const copied = (files: Awaited<ReturnType<typeof copyOut>>) =>
      files.map((file) => [file.name, Buffer.from(file.bytes).toString()]);
    expect(copied(await copyOut({ id, place }, source))).toEqual([[name, "judged\n"]]);
    expect(copied(await copyOut({ id, place }))).toEqual([[name, "judged\nlater\n"]]);
  });
});

describe("S15: a session file that cannot be read decides nothing", () => {
  const names = {
    claude: [`projects/-work/${id}.jsonl`, readSession],
    codex: [`sessions/2026/11/15/rollout-2026-11-15T09-45-37-${id}.jsonl`, readRollout],
    scripted: [`sessions/${id}.jsonl`, readHistory],
  } as const;

  test.each(Object.entries(names))("%s", async (_, [name, read]) => {
    mkdirSync(join(place, name), { recursive: true });
    await expect(read({ id, place }, hash)).rejects.toMatchObject({
      code: "history-unread",
      message: expect.stringContaining(`${name} cannot be read: it is a folder (EISDIR).`),
    });
  });

  test("another project's folder that cannot be read does not hide a session of claude", async () => {
    const [name] = names.claude;
    mkdirSync(join(place, "projects/-work"), { recursive: true });
    symlinkSync(join(place, "projects/-other"), join(place, "projects/-other"));
    await expect(findSessions({ id, place })).rejects.toMatchObject({ code: "history-unread" });
    writeFileSync(join(place, name), "");
    expect(await findSessions({ id, place })).toEqual([name]);
  });
});
