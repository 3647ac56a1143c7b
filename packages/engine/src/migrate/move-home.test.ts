/** A home that is moved to PostgreSQL, killed on the way, or kept where it is. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { self } from "@reprise/providers/launch/process";
import { ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { openSqliteStore } from "@reprise/store/sqlite/open";
import { creation } from "@reprise/store/suite/runs/run-samples";
import { agent, opening } from "@reprise/store/suite/samples";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inherited } from "../../../../test/environment.ts";
import { Cluster } from "../../../../test/postgres/cluster.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openHome, writeStoreRecord } from "../home.ts";
import { openHomeStore } from "../home-store.ts";
import { openReprise } from "../open-reprise.ts";
import { moveHome } from "./move-home.ts";

const program = fileURLToPath(new URL("./killed-move.ts", import.meta.url));
const recall = "what did I ask you to remember?";
let cluster: Cluster;

beforeAll(async () => {
  cluster = await Cluster.start();
});

afterAll(() => cluster.remove());

function newHome() {
  const folder = temporaryFolder("move");
  const home = join(folder, "home");
  const open = () => openReprise({ home, cwd: folder, env: { ...inherited, HOME: folder } });
  const move = (to: string) => moveHome({ home, to, env: {}, now: Date.now });
  return { home, open, move };
}

async function killedMove(home: string, ...argv: string[]): Promise<void> {
  const child = spawn(process.execPath, [program, home, ...argv], {
    env: inherited,
    stdio: ["ignore", "ignore", "inherit"],
  });
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
}

test("a home that was killed at any moment of its move has everything, and continues the move", async () => {
  const { home, open, move } = newHome();
  const url = await cluster.createDatabase();
  const first = await open();
  await first.agents.create({ name: "coder", provider: "scripted" });
  await first.sessions.send({ key: "fix-42", agent: "coder", prompt: "remember APPLE-739" });
  await first.close();
  const answers = async (prompt: string) => {
    const reprise = await open();
    const { output, decision } = await reprise.sessions.send({ key: "fix-42", prompt });
    await reprise.close();
    expect(decision?.outcome).toBe("resume");
    return output;
  };

  await killedMove(home, url, "copied", "3");
  await killedMove(home, url, "copied", "2");
  expect(await answers(recall)).toBe("APPLE-739");
  expect(existsSync(join(home, "store.json"))).toBe(false);
  await killedMove(home, url, "compared");
  expect(await answers("remember PEAR-12")).toContain("PEAR-12");
  await killedMove(home, url, "switched");
  expect(await cluster.query("SELECT count(*)::INT AS turns FROM turn", url)).toEqual([
    { turns: 3 },
  ]);
  expect(await answers(recall)).toBe("PEAR-12");

  const aside = () => readdirSync(home).filter((name) => name.startsWith("before-migration-"));
  expect(aside()).toEqual([]);
  expect(await move(url)).toMatchObject({ moved: false, keptAside: expect.any(String) });
  expect(await move(url)).toMatchObject({ moved: false, keptAside: null });
  expect(aside()).toHaveLength(1);
  expect(await answers("remember FIG-8")).toContain("FIG-8");
  const ledger = readLedger(ledgerPath(join(home, "agents", "coder", "scripted")));
  const sent = ledger.filter(({ event }) => event === "model").map(({ prompt }) => prompt);
  expect(sent).toHaveLength(5);
  expect(sent.filter((prompt) => String(prompt).includes("reprise:transcript"))).toEqual([]);
});

test("a moved home goes back to the database that was kept aside", async () => {
  const { home, open, move } = newHome();
  const first = await open();
  await first.agents.create({ name: "coder", provider: "scripted" });
  await first.close();
  const { keptAside, tables } = await move(await cluster.createDatabase());
  expect(tables).toContainEqual({ table: "agent", rows: 1, digest: expect.any(String) });
  rmSync(join(home, "store.json"));
  await expect(open()).rejects.toMatchObject({ name: "StoreError", code: "store-moved" });
  renameSync(keptAside!, join(home, "reprise.db"));
  const back = await open();
  expect(await back.agents.list()).toMatchObject([{ name: "coder" }]);
  await back.close();
});

test("a home that works, or that another program has open, is not moved", async () => {
  const { home, open, move } = newHome();
  const url = await cluster.createDatabase();
  const reprise = await open();
  await expect(move(url)).rejects.toMatchObject({ name: "BusyError", code: "store-in-use" });
  await reprise.close();

  const database = join(home, "reprise.db");
  const store = await openSqliteStore(database);
  await store.createAgent(agent());
  await store.openTurn(opening("t1", "fix-42", { owner: self() }));
  await store.close();
  await expect(move(url)).rejects.toMatchObject({
    name: "BusyError",
    message: `Turn t1 of session fix-42 belongs to process ${process.pid} on ${self().host}.`,
  });
  const another = newHome();
  await (await another.open()).close();
  const runs = await openSqliteStore(join(another.home, "reprise.db"));
  await runs.createRun(creation("r1", { owner: self() }));
  await runs.close();
  await expect(another.move(url)).rejects.toMatchObject({
    name: "BusyError",
    message: expect.stringContaining("Run r1 belongs to process"),
  });
});

test("a home that is in another database is not moved, and one that is not there is not created", async () => {
  const { home, open, move } = newHome();
  await expect(move("postgres://db.example.com/home")).rejects.toMatchObject({ code: "no-home" });
  expect(existsSync(home)).toBe(false);
  await (await open()).close();
  writeStoreRecord(home, "postgres://db.example.com/home");
  await expect(move("postgres://db.example.com/other")).rejects.toMatchObject({
    code: "store-differs",
  });
});

test("a process that waited for the database of a home until it was moved does not use it", async () => {
  const { home: path, open } = newHome();
  await (await open()).close();
  const home = await openHome(path);
  writeStoreRecord(path, "postgres://db.example.com/home");
  const opening = { home, elsewhere: null, secrets: [], owner: self(), now: Date.now };
  await expect(openHomeStore(opening)).rejects.toMatchObject({ code: "store-moved" });
});
