/** `send`: continues a key with a prompt. Checks everything it can before anything is written. */

import { resolve } from "node:path";
import { parse } from "@reprise/core/api/parse";
import type { Send, SendOptions, TurnResult } from "@reprise/core/api/reprise";
import { sendSchema } from "@reprise/core/api/schemas";
import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { command, option, slot, verb } from "@reprise/core/errors/hint";
import type { SessionKey } from "@reprise/core/session/key";
import { defaultAgentIn, defaultBusy } from "@reprise/core/session/policy";
import type { Turn, TurnRequest } from "@reprise/core/session/turn";
import type { Agent } from "@reprise/store/contract/agents";
import { type Engine, newId } from "../engine.ts";
import {
  checkPrompt,
  type DriveTurnOptions,
  driveTurn,
  isServable,
  openTurn,
  type TurnOrder,
} from "./acquire.ts";
import { workFolder } from "./observe.ts";
import { runQueued } from "./queue.ts";
import { driven, readTurn, turnResult } from "./run-turn.ts";

export async function send(
  engine: Engine,
  input: Send,
  { id = newId(), ...options }: SendOptions = {},
): Promise<TurnResult> {
  const wanted = parse(sendSchema(), input);
  checkPrompt(wanted.prompt);
  const where = whereAsked(engine, wanted);
  const agent = await agentFor(engine, wanted.key, wanted.agent ?? null, where);
  const ended = await sendTurn(
    engine,
    {
      id,
      agent,
      busy: wanted.busy ?? defaultBusy(wanted.surface),
      by: wanted.by ?? null,
      request: {
        key: wanted.key as SessionKey,
        prompt: wanted.prompt,
        surface: wanted.surface,
        mode: wanted.mode ?? null,
        continuity: wanted.continuity ?? null,
        ...where,
        model: wanted.model ?? null,
        ...(wanted.now && { now: true }),
        instructions: wanted.instructions ?? null,
        channel: wanted.channel ?? null,
        timeout: wanted.timeout ?? null,
        ...(wanted.within != null && { within: wanted.within }),
        outputSchema: null,
        finishes: false,
        access: wanted.access ?? null,
        allowedCommands: wanted.allowedCommands ?? null,
        onDenied: wanted.onDenied ?? null,
        origin: null,
      },
    },
    options,
  );
  return turnResult(ended);
}

/** The folder that a call names, checked, and the caller's current folder. */
export function whereAsked(
  engine: Engine,
  { folder, cwd }: Pick<Send, "folder" | "cwd">,
): Pick<TurnRequest, "folder" | "cwd"> {
  const from = cwd ? resolve(engine.cwd, cwd) : engine.cwd;
  return { folder: folder ? workFolder(folder, from) : null, cwd: from };
}

/** Opens the turn and runs it when the session is free; a queued one is left to the session's owner. */
export async function sendTurn(
  engine: Engine,
  order: Omit<TurnOrder, "durability">,
  { onOpened, ...options }: DriveTurnOptions & Pick<SendOptions, "onOpened"> = {},
): Promise<Turn> {
  // If the caller learns of the turn only at its end, it need not be durable before its launch. A skipped
  // turn ends at once.
  const answersAtOnce = order.busy === "queue" || order.busy === "skip";
  const callerKnows = answersAtOnce || onOpened !== undefined || options.leave !== undefined;
  const durability = callerKnows ? "durable" : "buffered";
  const { turn, claimed, behind } = await openTurn(engine, { ...order, durability });
  onOpened?.(turn.id);
  if (claimed) return driven(turn, await driveTurn(engine, claimed, options));
  // A process that is gone may have left the turn ahead: run it, or this one waits for ever.
  if (behind && answersAtOnce && isServable(behind)) engine.runLater(behind, options.leave);
  if (behind && answersAtOnce) return turn;
  if (order.busy === "queue" && isServable(turn)) {
    await runQueued(engine, turn, options);
    return readTurn(engine, turn.id);
  }
  return driven(turn, await driveTurn(engine, turn.id, options));
}

/** The agent that is named, else the session's, else the user's choice for the folder of a new session. */
export async function agentFor(
  engine: Engine,
  key: string,
  name: string | null,
  { folder, cwd }: Pick<TurnRequest, "folder" | "cwd"> = { folder: null, cwd: null },
): Promise<Agent> {
  const otherwise = defaultAgentIn(folder ?? cwd ?? engine.cwd, engine.settings);
  const { name: wanted, agent } = await engine.store.findAgent({ key, named: name, otherwise });
  if (wanted === null)
    throw new UsageError(
      "no-agent-named",
      `Session ${key} is new, so it needs an agent.`,
      `Name one with ${option("agent")}, or choose one for this folder with ${command("agent use", slot("NAME"))}. ${verb("agents.list")} shows the agents.`,
    );
  if (agent) return agent;
  throw new NotFoundError(
    "no-agent",
    `There is no agent ${wanted}.`,
    `Create it with ${verb("agents.create", { name: wanted, provider: slot("NAME") })}. ${verb("agents.list")} shows the agents.`,
  );
}
