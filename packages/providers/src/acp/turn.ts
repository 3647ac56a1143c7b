/**
 * The bridge between Reprise and an agent that speaks the Agent Client Protocol: a program for one turn. Started with an
 * order and the agent's command, it reads the prompt from standard input, starts the agent, and prints events as JSON
 * lines. The agent ends with it.
 */

import { constants } from "node:os";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { AgentEvent } from "../provider.ts";
import type { BridgeOrder } from "./order.ts";
import { BridgedTurn } from "./run-turn.ts";

/** Milliseconds that an agent has to cancel its turn before it is killed. */
const cancelling = 1500;

const [order = "", ...command] = process.argv.slice(2);
let stopped = false;
let failed = false;

const prompt = await text(process.stdin);
const turn = new BridgedTurn(
  command,
  JSON.parse(order) as BridgeOrder,
  { env: process.env, stderr: "inherit" },
  print,
);
process.once("exit", () => turn.kill());
const running = turn.run(prompt);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
  process.once(signal, () => void stop(128 + constants.signals[signal]));
await running;
if (!stopped) process.exitCode = failed ? 1 : 0;

/** A turn that is stopped has neither a result nor a failure. */
async function stop(code: number): Promise<void> {
  stopped = true;
  turn.cancel();
  await Promise.race([running, delay(cancelling)]);
  process.exit(code);
}

function print(event: AgentEvent): void {
  if (stopped) return;
  failed ||= event.type === "failure";
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
