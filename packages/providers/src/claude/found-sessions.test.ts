import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { sessions } from "./found-sessions.ts";
import { slugOf } from "./relocate.ts";

const id = "0f5b1c1e-3a51-4d0c-9b8e-6f3f3c1f2a10";
const other = id.replace("0f5b", "1f5b");
const recorded = readFileSync(join(import.meta.dirname, "fixtures/session.jsonl"), "utf8");
const home = temporaryFolder("claude-sessions");
const agent = {
  ...{ name: "coder", settings: { home }, privateFolder: "/none", env: {} },
} as const;

function write(folder: string, name: string, text: string, usedAt: number): void {
  const project = join(home, "projects", slugOf(folder));
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, name), text);
  utimesSync(join(project, name), usedAt / 1000, usedAt / 1000);
}

const at = (folder: string, text = recorded) => text.replaceAll("/home/user/work", folder);

test("the sessions of a folder, the last used first, without what a person cannot resume", async () => {
  const folder = "/home/user/work";
  write(folder, `${id}.jsonl`, recorded, 1_000_000);
  write(folder, `${other}.jsonl`, at(folder).replaceAll(id, other), 2_000_000);
  // The same slug, another folder.
  const beside = "/home/user-work";
  write(beside, `${id.replace("0f5b", "2f5b")}.jsonl`, at(beside), 3_000_000);
  // Subagents, an empty session, and one that is damaged.
  write(folder, "agent-1234.jsonl", recorded, 4_000_000);
  write(folder, `${id.replace("0f5b", "3f5b")}.jsonl`, "", 4_000_000);
  write(folder, `${id.replace("0f5b", "4f5b")}.jsonl`, "{\n{}\n", 4_000_000);

  const prompt = "remember APPLE-739";
  const newest = { id: other, folder, prompt, usedAt: 2_000_000 };
  const oldest = { id, folder, prompt, usedAt: 1_000_000 };
  expect(await sessions(agent, { folder, limit: 10 })).toEqual([newest, oldest]);
  expect(await sessions(agent, { folder, limit: 1 })).toEqual([newest]);
  expect(await sessions(agent, { folder: "/home/user", limit: 10 })).toEqual([]);
  expect(await sessions(agent, { folder: null, limit: 10 })).toMatchObject([
    { folder: beside },
    newest,
    oldest,
  ]);
});
