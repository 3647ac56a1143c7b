/**
 * PostgreSQL is stopped and killed while two engines have turns and runs in flight. They wait for it and continue:
 * what was acknowledged is there, and nothing ran twice, judged by the ledgers of the agent and of the scripts.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeStoreRecord } from "@reprise/engine/home";
import { openReprise } from "@reprise/engine/open-reprise";
import { ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { expect, onTestFinished, test } from "vitest";
import { Cluster } from "../../postgres/cluster.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { until } from "../../until.ts";
import { lookUp } from "../database.ts";
import { runProcess } from "../run-process.ts";
import type { Heard, LoadOrder } from "./load.ts";

const program = fileURLToPath(new URL("./load.ts", import.meta.url));
const engines = ["ann", "ben"];
const [width, length] = [2, 4];

/** Whole lines: the file exists a moment before its first one is written. */
function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

test("a server that is killed and restarted under load loses nothing that was acknowledged, and nothing runs twice", async () => {
  const cluster = await Cluster.start();
  onTestFinished(() => cluster.remove());
  const folder = temporaryFolder("under-load");
  const home = join(folder, "home");
  const agentHome = join(folder, "agent");
  for (const each of [home, agentHome]) mkdirSync(each, { recursive: true, mode: 0o700 });
  writeStoreRecord(home, await cluster.createDatabase());
  const settings = { home: agentHome, script: join(folder, "script.json") };
  writeFileSync(settings.script, "{}");
  const reprise = await openReprise({ home, cwd: folder });
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
  await reprise.close();

  const heard = () => linesOf(join(folder, "heard")).map((line): Heard => JSON.parse(line));
  const working = Promise.all(
    engines.map((name) => {
      const order: LoadOrder = { folder, name, width, length };
      return runProcess(program, [JSON.stringify(order)]);
    }),
  );
  let isOver = false;
  void working.finally(() => {
    isOver = true;
  });
  for (const end of ["kill", "stop", "kill"] as const) {
    const before = heard().length;
    await until(() => isOver || heard().length >= before + 4, "turns and runs end");
    expect(isOver ? await working : null).toBeNull();
    await cluster[end]();
    await cluster.start();
  }
  const nothing = { code: 0, signal: null, stderr: "" };
  expect(await working).toMatchObject(engines.map(() => nothing));

  const lines = engines.flatMap((name) => [1, 2].map((number) => `${name}-${number}`));
  const numbers = Array.from({ length }, (_, index) => index + 1);
  const turns = lines.flatMap((of) => numbers.map((number) => `turn ${number} of ${of}`));
  const runs = lines.flatMap((of) => numbers.map((number) => `run ${number} of ${of}`));
  expect(heard().toSorted(byWork)).toEqual(
    [
      ...turns.map((work) => ({ work, status: "done", output: work })),
      ...runs.map((work) => ({
        work,
        status: "done",
        output: { said: `agent of ${work}`, measured: "measured", sum: 3 },
      })),
    ].toSorted(byWork),
  );
  const asked = readLedger(ledgerPath(agentHome)).filter(({ event }) => event === "model");
  expect(asked.map(({ prompt }) => String(prompt).split("\n").at(-1)).toSorted()).toEqual(
    [...turns, ...runs.map((work) => `agent of ${work}`)].map((text) => `echo ${text}`).toSorted(),
  );
  expect(linesOf(join(folder, "shells")).toSorted()).toEqual(runs.toSorted());

  const stored = lookUp<{ text: string }>(
    folder,
    "SELECT output AS text FROM turn WHERE status = 'done' ORDER BY output",
  );
  expect(stored.map(({ text }) => text).toSorted()).toEqual(
    [...turns, ...runs.map((work) => `agent of ${work}`)].toSorted(),
  );
  for (const left of ["turn WHERE ended_at IS NULL", "run WHERE ended_at IS NULL", "lease"])
    expect(lookUp(folder, `SELECT 1 FROM ${left}`), left).toEqual([]);
});

function byWork(one: Heard, other: Heard): number {
  return one.work.localeCompare(other.work);
}
