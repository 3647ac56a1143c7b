import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { sessions } from "./found-sessions.ts";

const id = "01a1de99-16e5-71d2-b5e3-1d85356f7723";
const other = id.replace("7723", "8834");
const recorded = readFileSync(join(import.meta.dirname, "fixtures/rollout.jsonl"), "utf8");
const home = temporaryFolder("codex-sessions");
const agent = {
  ...{ name: "coder", settings: { home }, privateFolder: "/none", env: {} },
} as const;

function write(day: string, name: string, text: string, usedAt: number): void {
  const folder = join(home, "sessions", day);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
  utimesSync(join(folder, name), usedAt / 1000, usedAt / 1000);
}

test("the threads of a folder, the last used first, without those that another thread started", async () => {
  const folder = "/home/user/work";
  const rollout = (thread: string) => `rollout-2026-11-15T09-45-37-${thread}.jsonl`;
  write("2026/11/15", rollout(id), recorded, 1_000_000);
  // A rewind continues the thread in another file, which was written later.
  const segment = id.replace("7723", "9999");
  const rewound = recorded.replace(`"id":"${id}"`, `"id":"${segment}"`);
  write("2026/11/16", rollout(`${id}_${segment}`), rewound, 3_000_000);
  write("2026/11/16", rollout(other), recorded.replaceAll(id, other), 2_000_000);
  const started = id.replace("7723", "5555");
  const child = recorded.replace('"source":"exec"', '"source":{"subagent":{}}');
  write("2026/11/16", rollout(started), child.replaceAll(id, started), 4_000_000);
  write("2026/11/16", rollout(id.replace("7723", "6666")), "", 4_000_000);

  const prompt = "remember APPLE-739";
  const newest = { id, folder, prompt, usedAt: 3_000_000 };
  const oldest = { id: other, folder, prompt, usedAt: 2_000_000 };
  expect(await sessions(agent, { folder, limit: 10 })).toEqual([newest, oldest]);
  expect(await sessions(agent, { folder: null, limit: 1 })).toEqual([newest]);
  expect(await sessions(agent, { folder: "/home/user", limit: 10 })).toEqual([]);
});
