/** A home that has another path than before: sessions in it continue, with nothing to say about that. */

import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Pin } from "@reprise/core/session/pin";
import { ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Database } from "../../../../test/conformance/database.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openReprise } from "../open-reprise.ts";

const key = "feature-42";
const recall = "what did I ask you to remember?";
let root: string;
let home: string;
let folder: string;

beforeEach(() => {
  root = temporaryFolder("moved-home");
  home = join(root, "home");
  folder = join(root, "work");
  mkdirSync(folder);
});

afterEach(() => rmSync(root, { recursive: true }));

const at = (path: string) => openReprise({ home: path, cwd: folder, env: {} });

/** The home of the agent that Reprise keeps for it. */
const kept = (path: string) => join(path, "agents/coder/scripted");

/** Sends a prompt in the home at `path`; the agent's own ledger says which provider session it continued. */
async function send(path: string, prompt: string, agentHome = kept(path)) {
  await using reprise = closing(await at(path));
  const { turn, decision, output } = await reprise.sessions.send({ key, prompt });
  expect(turn.status).toBe("done");
  const start = readLedger(ledgerPath(agentHome)).findLast(({ event }) => event === "start");
  return {
    output,
    outcome: decision?.outcome,
    reason: decision?.reason,
    prepare: decision?.outcome === "resume" ? decision.prepare : [],
    notices: decision?.notices.map(({ code }) => code),
    resumed: start?.resume === true ? start.session : null,
  };
}

function closing<Opened extends { close(): Promise<void> }>(opened: Opened) {
  return Object.assign(opened, { [Symbol.asyncDispose]: () => opened.close() });
}

/** Creates the agent and tells it a secret; returns the id of its provider session. */
async function begin(settings: Record<string, string> = {}): Promise<string> {
  {
    await using reprise = closing(await at(home));
    await reprise.agents.create({ name: "coder", provider: "scripted", settings });
    await reprise.sessions.send({ key, agent: "coder", prompt: "remember APPLE-739" });
  }
  return stored().handle.id;
}

/** The pin as it is stored. */
function stored(path = home): Pin {
  using database = new Database({ home: path });
  return JSON.parse(String(database.rows("SELECT data FROM pin")[0]?.data));
}

/** What a resumed turn looks like of which nothing is to be said. */
const quietly = (id: string) => ({
  output: "APPLE-739",
  outcome: "resume",
  prepare: [],
  notices: [],
  resumed: id,
});

test("a copy of a home resumes its sessions, with the agent's files that were copied", async () => {
  const id = await begin();
  expect(stored()).toMatchObject({
    handle: { id, place: "@agent-home" },
    runtime: { home: "@home/agents/coder/scripted" },
    folder,
  });
  const copy = join(root, "elsewhere", "copy");
  cpSync(home, copy, { recursive: true });
  const before = readFileSync(ledgerPath(kept(home)), "utf8");

  expect(await send(copy, recall)).toMatchObject(quietly(id));
  expect(readFileSync(ledgerPath(kept(home)), "utf8")).toBe(before);
  expect(await send(home, recall)).toMatchObject(quietly(id));

  await using reprise = closing(await at(copy));
  expect(await reprise.sessions.verify(key)).toMatchObject([{ history: "same", sound: true }]);
  const { pins } = await reprise.sessions.show(key);
  expect(pins).toMatchObject([{ folder }]);
});

test("a pin with absolute paths is resumed, here and after a move, and written anew", async () => {
  const id = await begin();
  writeAbsolute();
  expect(await send(home, recall)).toMatchObject(quietly(id));
  expect(stored()).toMatchObject({ handle: { place: "@agent-home" } });

  writeAbsolute();
  const moved = join(root, "moved");
  renameSync(home, moved);
  expect(await send(moved, recall)).toMatchObject(quietly(id));
  expect(stored(moved)).toMatchObject({ runtime: { home: "@home/agents/coder/scripted" } });
});

/** Stores the pin as earlier versions did. */
function writeAbsolute(): void {
  const { handle, runtime, ...rest } = stored();
  const place = kept(home);
  const pin: Pin = { ...rest, handle: { ...handle, place }, runtime: { ...runtime, home: place } };
  using database = new Database({ home });
  database.change("UPDATE pin SET data = :pin", { pin: JSON.stringify(pin) });
}

test("an agent's home that has moved is found where the agent has it now", async () => {
  const before = join(root, "agent");
  const after = join(root, "mounted");
  const id = await begin({ home: before });
  renameSync(before, after);
  await setHome(after);
  {
    await using reprise = closing(await at(home));
    expect(await reprise.sessions.verify(key)).toMatchObject([{ history: "same", sound: true }]);
    const moved = await reprise.sessions.move({ key, folder: root });
    expect(moved).toMatchObject({ place: after, notices: [] });
    await reprise.sessions.move({ key, folder });
    expect(existsSync(before)).toBe(false);
  }
  expect(await send(home, recall, after)).toMatchObject(quietly(id));

  // On another machine there are only the checkpoints.
  rmSync(after, { recursive: true });
  const other = join(root, "other-machine");
  await setHome(other);
  expect(await send(home, recall, other)).toMatchObject({
    ...quietly(id),
    prepare: ["restore"],
    notices: ["restored"],
  });
  expect(stored()).toMatchObject({ handle: { place: "@agent-home" }, runtime: { home: other } });
});

test("a home of the agent that is still there is another one", async () => {
  const before = join(root, "agent");
  await begin({ home: before });
  const other = join(root, "other");
  await setHome(other);
  expect(await send(home, recall, other)).toMatchObject({ outcome: "reseed", reason: "runtime" });
  expect(existsSync(before)).toBe(true);
});

async function setHome(path: string): Promise<void> {
  await using reprise = closing(await at(home));
  await reprise.agents.set({ name: "coder", settings: { home: path } });
}
