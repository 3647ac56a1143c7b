/** `doctor`: which turns need attention, and which only wait in the queue. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { sessionKey } from "@reprise/core/session/key";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import type { Engine } from "./engine.ts";
import { openEngine } from "./open-reprise.ts";

const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _address, ...inherited } = process.env;
const env = { ...inherited, KEY: "secret" };
let folder: string;
let opened: Awaited<ReturnType<typeof openEngine>>;

beforeEach(async () => {
  folder = temporaryFolder("doctor");
  opened = await openEngine({ home: join(folder, "home"), cwd: folder, env });
  await opened.reprise.agents.create({ name: "coder", provider: "scripted" });
});

afterEach(async () => {
  await opened.reprise.close();
  rmSync(folder, { recursive: true });
});

/** A queued turn of session `k`; its process may be gone. */
async function queue({ store, owner, now }: Engine, id: string, alive: boolean): Promise<void> {
  await store.openTurn({
    id,
    request: {
      key: sessionKey("k"),
      agent: "coder",
      prompt: "echo hi",
      surface: "direct",
      mode: null,
      continuity: null,
      folder,
      cwd: null,
      model: null,
      instructions: null,
      channel: null,
      timeout: null,
      outputSchema: null,
      finishes: false,
      origin: null,
    },
    provider: "scripted",
    busy: "queue",
    owner: alive ? owner : { ...owner, start: "long ago" },
    at: now(),
  });
}

async function aboutTurns(): Promise<string[]> {
  const { findings } = await opened.reprise.doctor();
  return findings.filter(({ subject }) => subject === "turns").map(({ text }) => text);
}

test("S21: an agent without its program is a warning that names both", async () => {
  const settings = { binary: join(folder, "no-such-claude") };
  await opened.reprise.agents.create({ name: "cc", provider: "claude", settings });
  const { ok, findings } = await opened.reprise.doctor();
  expect(ok).toBe(true);
  expect(findings.find(({ subject }) => subject === "agent cc")).toMatchObject({
    state: "warning",
    text: expect.stringContaining("no-such-claude"),
  });
});

test.each([
  [{}, "warning", "not logged in", "OPENAI_API_KEY"],
  [{ baseUrl: "http://127.0.0.1:9/v1" }, "ok", "login unknown", null],
  [{ apiKey: "env:KEY" }, "ok", "logged in", null],
])("an agent with %j: %s, %s", async (settings, state, login, hint) => {
  const { reprise } = opened;
  await reprise.agents.create({ name: "api", provider: "openai", settings });
  const { findings } = await reprise.doctor();
  expect(findings.find(({ subject }) => subject === "agent api")).toEqual({
    subject: "agent api",
    state,
    text: `chat-completions 1.0.0 · ${login} · resumes, also with another model`,
    hint: hint === null ? null : expect.stringContaining(hint),
  });
});

test("a turn queued behind a running one needs no attention, one that is alone does", async () => {
  const { engine } = opened;
  expect(await aboutTurns()).toEqual([]);
  await queue(engine, "first", false);
  expect(await aboutTurns()).toEqual(["1 queued turn is waiting to run."]);

  await engine.store.claimTurn({ turn: "first", owner: engine.owner, at: engine.now() });
  await queue(engine, "second", true);
  expect(await aboutTurns()).toEqual([]);

  const held = (await engine.store.readTurn("first"))!;
  await engine.store.takeOver({ turn: "first", token: held.token, owner: null });
  expect(await aboutTurns()).toEqual([
    "1 queued turn is waiting to run.",
    "1 agent is running without Reprise.",
  ]);
});
