/** The process of an agent that speaks the Agent Client Protocol: started in a group of its own, and ended as a whole. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type Incoming, RpcConnection } from "./connection.ts";

/** The agent's process ended, or could not be started. */
export class AgentEnded extends Error {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;

  constructor(message: string, code: number | null, signal: NodeJS.Signals | null) {
    super(message);
    this.code = code;
    this.signal = signal;
  }
}

export interface AgentProcess {
  readonly connection: RpcConnection;
  /** Closes its input, waits for it, and then ends what is left of it by signals. */
  end(): Promise<void>;
  /** Kills it with its children, at once. */
  kill(): void;
}

export interface AgentStart {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where its standard error goes. */
  readonly stderr: "inherit" | "ignore";
}

/** Most agents end when their input does; codex-acp (2.6) does not. */
const untilSigterm = 1000;
const untilSigkill = 1000;

export function startAgent(
  [program = "", ...args]: readonly string[],
  { folder, env, stderr }: AgentStart,
  incoming: Incoming,
): AgentProcess {
  const child = spawn(program, args, {
    cwd: folder,
    env,
    stdio: ["pipe", "pipe", stderr],
    detached: true,
  });
  const connection = new RpcConnection(child.stdout, child.stdin, incoming);
  child.once("error", (error) => connection.close(new AgentEnded(error.message, null, null)));
  // After its last line has been read.
  child.once("close", (code, signal) => connection.close(ended(code, signal)));
  return {
    connection,
    end: () => endAgent(child),
    kill: () => void signalGroup(child, "SIGKILL"),
  };
}

function ended(code: number | null, signal: NodeJS.Signals | null): AgentEnded {
  const how = signal === null ? `exit code ${code}` : signal;
  return new AgentEnded(`the agent's process ended (${how})`, code, signal);
}

async function endAgent(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  const exited =
    child.exitCode === null && child.signalCode === null ? once(child, "exit") : Promise.resolve();
  child.stdin?.end();
  await within(untilSigterm, () => exited);
  // Its children are in its group, and may outlive it.
  if (signalGroup(child, "SIGTERM")) await within(untilSigkill, (late) => groupGone(child, late));
  signalGroup(child, "SIGKILL");
  child.stdout?.destroy();
}

async function within(
  milliseconds: number,
  work: (late: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), milliseconds);
  await Promise.race([work(over.signal), once(over.signal, "abort")]);
  clearTimeout(timer);
}

async function groupGone(child: ChildProcess, late: AbortSignal): Promise<void> {
  // A zombie that nothing reaps stays in its group.
  for (let pause = 2; !late.aborted && signalGroup(child, 0); pause = Math.min(2 * pause, 50))
    await delay(pause);
}

/** False when the group has no process any more. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
