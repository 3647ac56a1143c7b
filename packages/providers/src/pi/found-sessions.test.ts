import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { sessions } from "./found-sessions.ts";

const id = "7d1f6c52-3c0e-4a1b-9a55-2f8e0b6c41d3";
/** As pi makes them. */
const own = "01a1f5cd-5ddc-7781-bb1f-2deaf27f3768";
const recorded = readFileSync(join(import.meta.dirname, "fixtures/session.jsonl"), "utf8");
const home = temporaryFolder("pi-sessions");
const agent = {
  ...{ name: "coder", settings: { home }, privateFolder: "/none", env: {} },
} as const;

function write(slug: string, name: string, text: string, usedAt: number): void {
  const folder = join(home, "sessions", slug);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `2026-11-19T22-34-23-097Z_${name}.jsonl`), text);
  utimesSync(join(folder, `2026-11-19T22-34-23-097Z_${name}.jsonl`), usedAt / 1000, usedAt / 1000);
}

test("the sessions of a folder, the last used first, without those that cannot be resumed", async () => {
  const folder = "/work";
  write("--work--", id, recorded, 1_000_000);
  write("--work--", own, recorded.replaceAll(id, own), 2_000_000);
  write("--work--", "named", recorded.replaceAll(id, "named"), 4_000_000);
  write("--work--", id.replace("7d", "5d"), `${recorded.split("\n")[0]}\n`, 4_000_000);
  const elsewhere = id.replace("7d", "6d");
  const there = recorded.replaceAll(id, elsewhere).replace('"cwd":"/work"', '"cwd":"/elsewhere"');
  write("--elsewhere--", elsewhere, there, 3_000_000);

  const prompt = "run echo hi there";
  const newest = { id: own, folder, prompt, usedAt: 2_000_000 };
  const oldest = { id, folder, prompt, usedAt: 1_000_000 };
  expect(await sessions(agent, { folder, limit: 10 })).toEqual([newest, oldest]);
  expect(await sessions(agent, { folder: "/", limit: 10 })).toEqual([]);
  expect(await sessions(agent, { folder: null, limit: 2 })).toEqual([
    { id: elsewhere, folder: "/elsewhere", prompt, usedAt: 3_000_000 },
    newest,
  ]);
});
