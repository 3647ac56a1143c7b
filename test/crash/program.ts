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

const [folder = "", point] = process.argv.slice(2);
const calls: string[] = [];

/** Every method of `part` is a call; `close` ends the count, since nothing follows it. */
function counted<Part extends object>(part: Part, name: string): Part {
  return new Proxy(part, {
    get(target, property) {
      const method = Reflect.get(target, property);
      if (typeof method !== "function") return method;
      return async (...input: unknown[]) => {
        calls.push(`${name}.${String(property)}`);
        const number = calls.length;
        if (point === `before:${number}`) process.kill(process.pid, "SIGKILL");
        const output = await method.apply(target, input);
        if (point === `after:${number}`) process.kill(process.pid, "SIGKILL");
        return output;
      };
    },
  });
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
    store: (store: Store) => counted(store, "store"),
    launcher: (launcher: Launcher) => counted(launcher, "launcher"),
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
