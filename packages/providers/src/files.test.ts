import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { findSessions, readSession } from "./claude/session-file.ts";
import { readRollout } from "./codex/rollout.ts";
import { listIfThere, readIfThere } from "./files.ts";
import { readHistory } from "./scripted/files.ts";

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
