/** The command line of one turn of an ACP agent: the bridge, its order, and the agent's own command. */

import { SessionLostError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import { bridgePath } from "../define-provider.ts";
import type { AgentCommand, LaunchRequest } from "../provider.ts";
import { turnBridge } from "./bridges.ts";
import type { BridgeOrder } from "./order.ts";
import { commandOf } from "./settings.ts";

/** The agent chooses its ids; one with other characters could name another file of ours. */
export const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/;

/** @throws SessionLostError for an id that no agent may have. */
export function command({
  agent,
  binary,
  runtime,
  resume,
  folder,
  model,
  access,
}: LaunchRequest): AgentCommand {
  const { level, allowedCommands, hidden } = access;
  const order: BridgeOrder = {
    place: resume?.place ?? runtime.home,
    resume: resume && checkedId(resume.id),
    folder,
    model,
    login: agent.settings.login ?? null,
    access: level,
    allowedCommands,
    hidden,
  };
  const [, ...args] = commandOf(agent);
  return {
    argv: [process.execPath, bridgePath(turnBridge), JSON.stringify(order), binary, ...args],
    env: {},
  };
}

function checkedId(id: string): string {
  if (idPattern.test(id)) return id;
  throw new SessionLostError(
    "bad-session-id",
    "The pinned id is not one that can be resumed.",
    `Send with ${option("continuity", "reseed")} to start again from the transcript.`,
    `"${id}" has characters that an id cannot have`,
  );
}
