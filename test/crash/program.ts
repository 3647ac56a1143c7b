/**
 * A caller that goes through a scenario and can be killed before or after any call that Reprise makes
 * to its store or its launcher. Run again it goes on: it looks which prompts were answered, and sends
 * the next one. `node program.ts <folder> [before|after:<call>]`; prints the names of all calls.
 */

import { existsSync, globSync, lstatSync, readFileSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { openReprise } from "@reprise/engine/open-reprise";
import type { Launcher } from "@reprise/providers/launch/launcher";
import type { Store } from "@reprise/store/store";
import { afterDamage, key, prompts } from "./scenario.ts";
import { watched } from "./watched.ts";

const [folder = "", point] = process.argv.slice(2);
const calls: string[] = [];

/** `close` ends the count, since nothing follows it. */
function counted(call: string): () => void {
  calls.push(call);
  const number = calls.length;
  if (point === `before:${number}`) process.kill(process.pid, "SIGKILL");
  return () => {
    if (point === `after:${number}`) process.kill(process.pid, "SIGKILL");
  };
}

/** Looked up beside Reprise, so that only its own calls are counted. */
function lookUp<Row>(sql: string): Row[] {
  const database = new DatabaseSync(join(folder, "home", "reprise.db"), { readOnly: true });
  const rows = database.prepare(sql).all();
  database.close();
  return rows as Row[];
}

function answered(): string[] {
  const rows = lookUp<{ request: string }>("SELECT request FROM turn WHERE status = 'done'");
  return rows.map(({ request }) => JSON.parse(request).prompt);
}

/** An agent that outlived its Reprise ends first: whoever sent its prompt waits for the answer. */
async function agentsHaveEnded(): Promise<void> {
  const turns = join(folder, "home", "turns");
  // A withdrawn ticket is a link: nothing was started.
  const started = globSync("*/*/ticket", { cwd: turns })
    .filter((ticket) => lstatSync(join(turns, ticket)).isFile())
    .map((ticket) => dirname(ticket));
  for (const spool of started) while (!existsSync(join(turns, spool, "exit"))) await setTimeout(5);
}

/** The provider forgets behind our back all but the first turn. */
function forgetLastTurn(): void {
  const [pin] = lookUp<{ handle: string }>("SELECT handle FROM pin");
  const file = join(agentHome, "sessions", `${pin?.handle}.jsonl`);
  const lines = readFileSync(file, "utf8").split("\n");
  truncateSync(file, Buffer.byteLength(lines.slice(0, 2).join("\n")) + 1);
}

const agentHome = join(folder, "agent");
await agentsHaveEnded();
const reprise = await openReprise({
  home: join(folder, "home"),
  cwd: folder,
  env: process.env,
  wrap: {
    store: (store: Store) => watched(store, "store", counted),
    launcher: (launcher: Launcher) => watched(launcher, "launcher", counted),
  },
});
if ((await reprise.agents.list()).length === 0)
  await reprise.agents.create({
    name: "coder",
    provider: "scripted",
    settings: { home: agentHome, script: join(folder, "script.json") },
  });

for (const prompt of prompts) {
  if (answered().includes(prompt)) continue;
  if (prompt === afterDamage) forgetLastTurn();
  await reprise.sessions.send({ key, agent: "coder", prompt });
}
await reprise.close();
console.log(JSON.stringify(calls));
