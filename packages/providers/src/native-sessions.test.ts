import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { native as claude } from "./claude/native-sessions.ts";
import { native as codex } from "./codex/native-sessions.ts";
import { native as gemini } from "./gemini/native-sessions.ts";
import { native as pi } from "./pi/native-sessions.ts";
import type { NativeSessions } from "./provider.ts";

const id = "0f5b1c1e-3a51-4d0c-9b8e-6f3f3c1f2a10";
const thread = "01a1ddf1-cfc9-7c53-bac8-de4e7dd04c0b";
const day = 86_400_000;

function use(native: NativeSessions, files: Readonly<Record<string, string>>) {
  const home = temporaryFolder("native-sessions");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const agent = { name: "coder", settings: { home }, privateFolder: "/none", env: {} };
  return {
    home,
    names: async () => (await native.list(agent)).names.toSorted(),
    retention: () => native.retention?.(agent),
  };
}

test("claude's sessions are the files of its projects, with what is beside them", async () => {
  const session = `projects/-work/${id}.jsonl`;
  const results = `projects/-work/${id}/tool-results/a.txt`;
  const { home, names } = use(claude, {
    [session]: "",
    [results]: "long",
    "projects/-work/agent-1234.jsonl": "",
    "projects/-work/notes.txt": "",
    "history.jsonl": "",
  });
  expect(await names()).toEqual([session]);
  expect(await claude.beside?.({ id, place: home }, session)).toEqual([results]);
  const recorded = readFileSync(join(import.meta.dirname, "claude/fixtures/session.jsonl"));
  expect(await claude.identify(join(home, session), recorded)).toMatchObject({ id });
});

test("gemini's sessions are the files of its projects, with the path of the project", async () => {
  const session = ".gemini/tmp/work/chats/session-2026-11-19T10-00-0f5b1c1e.jsonl";
  const { home, names } = use(gemini, {
    [session]: "",
    ".gemini/tmp/work/.project_root": "/work",
    ".gemini/tmp/work/logs.json": "[]",
  });
  expect(await names()).toEqual([session]);
  expect(await gemini.beside?.({ id, place: home }, session)).toEqual([
    ".gemini/tmp/work/.project_root",
  ]);
});

test("codex's sessions are its rollouts, also archived ones", async () => {
  const rollout = `rollout-2026-11-19T10-00-00-${thread}.jsonl`;
  const files = [`archived_sessions/${rollout}`, `sessions/2026/11/19/${rollout}`];
  const { names, retention } = use(codex, {
    ...Object.fromEntries(files.map((name) => [name, ""])),
    "history.jsonl": "",
  });
  expect(await names()).toEqual(files);
  expect(await retention()).toBeUndefined();
});

test("pi's sessions are the files of its work folders", async () => {
  const session = `sessions/--work--/2026-11-19T10-00-00-000Z_${id}.jsonl`;
  const { home, names, retention } = use(pi, {
    [session]: "",
    "sessions/--work--/notes.txt": "",
    "models.json": "{}",
  });
  expect(await names()).toEqual([session]);
  expect(await retention()).toBeUndefined();
  const recorded = readFileSync(join(import.meta.dirname, "pi/fixtures/session.jsonl"));
  const own = JSON.parse(recorded.toString("utf8").split("\n")[0]!).id;
  expect(await pi.identify(join(home, `x_${own}.jsonl`), recorded)).toMatchObject({ id: own });
});

test("a home that does not exist has none", async () => {
  for (const native of [claude, gemini, codex, pi]) {
    const settings = { home: "/does/not/exist" };
    const { names } = await native.list({ name: "a", settings, privateFolder: "/none", env: {} });
    expect(names).toEqual([]);
  }
});

test.each([
  ["{}", 30],
  ["not JSON", 30],
  ['{"cleanupPeriodDays":365}', 365],
])("claude with the settings %s deletes after %d days", async (text, days) => {
  const retention = await use(claude, { "settings.json": text }).retention();
  expect(retention).toMatchObject({ after: days * day, why: expect.stringContaining(`${days}`) });
});

test.each([
  ["{}", 30],
  ['{"general":{"sessionRetention":{"maxAge":"2w"}}}', 14],
  ['{"general":{"sessionRetention":{"enabled":false}}}', null],
])("gemini with the settings %s deletes after %s days", async (text, days) => {
  const retention = await use(gemini, { ".gemini/settings.json": text }).retention();
  expect(retention?.after ?? null).toBe(days === null ? null : days * day);
});
