import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { sessions } from "./found-sessions.ts";

const id = "7d1f6c52-3c0e-4a1b-9a55-2f8e0b6c41d3";
const other = id.replace("7d1f", "8d1f");
const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, `fixtures/${name}.jsonl`), "utf8");
const home = temporaryFolder("gemini-sessions");
const agent = {
  ...{ name: "coder", settings: { home }, privateFolder: "/none", env: {} },
} as const;

function write(slug: string, name: string, text: string, usedAt: number): void {
  const chats = join(home, ".gemini", "tmp", slug, "chats");
  mkdirSync(chats, { recursive: true });
  writeFileSync(join(chats, "..", ".project_root"), `/home/me/${slug}`);
  writeFileSync(join(chats, name), text);
  utimesSync(join(chats, name), usedAt / 1000, usedAt / 1000);
}

test("the sessions of a folder, the last used first, without empty files and subagents", async () => {
  const [recorded, empty] = [fixture("session"), fixture("empty-session")];
  const name = (session: string) => `session-2026-11-19T18-23-${session.slice(0, 8)}.jsonl`;
  write("work", name(id), recorded, 1_000_000);
  write("work", name(other), recorded.replaceAll(id, other), 2_000_000);
  // A resume in a later minute leaves it behind.
  write("work", `session-2026-11-19T18-24-${id.slice(0, 8)}.jsonl`, empty, 4_000_000);
  const child = id.replace("7d1f", "9d1f");
  const subagent = recorded.replaceAll(id, child).replace('"kind":"main"', '"kind":"subagent"');
  write("work", name(child), subagent, 4_000_000);
  write("elsewhere", name(id.replace("7d1f", "6d1f")), recorded.replaceAll(id, "else"), 3_000_000);

  const folder = "/home/me/work";
  const prompt = "run echo hi there";
  const newest = { id: other, folder, prompt, usedAt: 2_000_000 };
  const oldest = { id, folder, prompt, usedAt: 1_000_000 };
  expect(await sessions(agent, { folder, limit: 10 })).toEqual([newest, oldest]);
  expect(await sessions(agent, { folder: "/home/me", limit: 10 })).toEqual([]);
  expect(await sessions(agent, { folder: null, limit: 2 })).toEqual([
    { id: "else", folder: "/home/me/elsewhere", prompt, usedAt: 3_000_000 },
    newest,
  ]);
});
