/**
 * A caller that goes through a scenario and can be killed before or after any call that Reprise makes
 * to its store or its launcher. Run again it continues: it looks which prompts were answered, and sends
 * the next one. `node program.ts '{"folder", …}'`; prints all calls.
 */

import {
  appendFileSync,
  existsSync,
  globSync,
  lstatSync,
  readFileSync,
  truncateSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { BusyPolicy } from "@reprise/core/session/turn";
import { openReprise } from "@reprise/engine/open-reprise";
import type { Launcher } from "@reprise/providers/launch/launcher";
import type { Store } from "@reprise/store/store";
import { until } from "../until.ts";
import { TurnCalls, type TurnKillPoint } from "./calls.ts";
import { lookUp } from "./database.ts";
import { keep, keepPromised } from "./disk.ts";
import { isAtWork } from "./reboot.ts";
import { afterDamage, callerIn, prompts } from "./scenario.ts";
import { watched } from "./watched.ts";

export interface TurnProgramInput {
  readonly folder: string;
  /** The name of this caller, where several use the home at the same time. */
  readonly caller?: string;
  /** It kills itself at the first of these that it comes to. */
  readonly dies?: readonly TurnKillPoint[];
  /** Others than those of the scenario. */
  readonly prompts?: readonly string[];
  readonly busy?: BusyPolicy;
  /** Report a turn as soon as it is opened. */
  readonly listens?: boolean;
  /** Copies what a loss of power would leave of the database, whenever that has changed. */
  readonly keepsDurable?: boolean;
}

const order: TurnProgramInput = JSON.parse(process.argv[2] ?? "{}");
const { folder } = order;
const { key, agent, agentHome } = callerIn(folder, order.caller);
const calls = new TurnCalls(folder, order.dies);

function answered(): string[] {
  const rows = lookUp<{ request: string }>(
    folder,
    "SELECT request FROM turn WHERE status = 'done' AND key = :key",
    { key },
  );
  return rows.map(({ request }) => JSON.parse(request).prompt);
}

/** An agent that outlived its Reprise ends first: the sender of its prompt waits for the answer. */
async function agentsHaveEnded(): Promise<void> {
  const turns = join(folder, "home", "turns");
  // A withdrawn ticket is a link: nothing was started.
  const started = globSync("*/*/ticket", { cwd: turns })
    .filter((ticket) => lstatSync(join(turns, ticket)).isFile())
    .map((ticket) => dirname(ticket));
  for (const spool of started)
    await until(() => existsSync(join(turns, spool, "exit")) || !isAtWork(folder));
}

/** Another caller may be recovering what this one left; sending its prompt again would be a mistake of the caller. */
async function turnsHaveEnded(): Promise<void> {
  const open = "SELECT id FROM turn WHERE ended_at IS NULL AND key = :key";
  await until(() => lookUp(folder, open, { key }).length === 0);
}

/** The provider forgets all but the first turn, behind Reprise's back. */
function forgetLastTurn(): void {
  const [pin] = lookUp<{ handle: string }>(folder, "SELECT handle FROM pin WHERE key = :key", {
    key,
  });
  const file = join(agentHome, "sessions", `${pin?.handle}.jsonl`);
  const lines = readFileSync(file, "utf8").split("\n");
  truncateSync(file, Buffer.byteLength(lines.slice(0, 2).join("\n")) + 1);
}

await agentsHaveEnded();
if (order.keepsDurable) keepPromised(folder);
const reprise = await openReprise({
  home: join(folder, "home"),
  cwd: folder,
  env: process.env,
  wrap: {
    store: (store: Store) => watched(store, "store", calls.watch),
    launcher: (launcher: Launcher) => watched(launcher, "launcher", calls.watch),
  },
});
if (!(await reprise.agents.list()).some(({ name }) => name === agent))
  await reprise.agents.create({
    name: agent,
    provider: "scripted",
    settings: { home: agentHome, script: join(folder, "script.json") },
  });
if (order.caller !== undefined) await turnsHaveEnded();

for (const [index, prompt] of (order.prompts ?? prompts).entries()) {
  if (answered().includes(prompt)) continue;
  calls.begin(index + 1);
  if (prompt === afterDamage) forgetLastTurn();
  const { busy, listens } = order;
  const { turn } = await reprise.sessions.send(
    { key, agent, prompt, ...(busy && { busy }) },
    listens ? { onOpened: () => {} } : {},
  );
  appendFileSync(join(folder, "heard"), `${JSON.stringify(turn)}\n`);
}
await reprise.close();
// SQLite itself waits for the disk when the last connection is closed.
if (order.keepsDurable) keep(folder);
console.log(JSON.stringify(calls.made));
