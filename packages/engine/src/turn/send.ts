/** `send`: continues a key with a prompt. Checks everything it can before anything is written. */

import { resolve } from "node:path";
import { parse } from "@reprise/core/api/parse";
import type { Send, SendOptions, TurnResult } from "@reprise/core/api/reprise";
import { maxPromptBytes, sendSchema } from "@reprise/core/api/schemas";
import { FencedError, NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { command, option, slot, verb } from "@reprise/core/errors/hint";
import { defaultAgentIn } from "@reprise/core/session/default-agent";
import type { SessionKey } from "@reprise/core/session/key";
import { defaultBusy } from "@reprise/core/session/policy";
import {
  type BusyPolicy,
  isUnstarted,
  type Turn,
  type TurnRequest,
} from "@reprise/core/session/turn";
import type { Agent } from "@reprise/store/contract/agents";
import type { Durability } from "@reprise/store/contract/database";
import type { Engine } from "../engine.ts";
import { newId } from "../ids.ts";
import { checkAccess } from "./access.ts";
import { type DriveTurnOptions, driveTurn } from "./drive.ts";
import { workFolder } from "./folder.ts";
import { bindAgent, probe } from "./observe.ts";
import { claimOnce } from "./queue.ts";
import { readTurn, runTurn } from "./run-turn.ts";
import { turnResult } from "./views.ts";

export async function send(
  engine: Engine,
  input: Send,
  { id = newId(), ...options }: SendOptions = {},
): Promise<TurnResult> {
  const wanted = parse(sendSchema, input);
  checkPrompt(wanted.prompt);
  const where = whereAsked(engine, wanted);
  const agent = await agentFor(engine, wanted.key, wanted.agent ?? null, where);
  const ended = await sendTurn(
    engine,
    {
      id,
      agent,
      busy: wanted.busy ?? defaultBusy(wanted.surface),
      request: {
        key: wanted.key as SessionKey,
        prompt: wanted.prompt,
        surface: wanted.surface,
        mode: wanted.mode ?? null,
        continuity: wanted.continuity ?? null,
        ...where,
        model: wanted.model ?? null,
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
  return turnResult(ended, await engine.store.readSession(wanted.key));
}

/** The folder that a call names, checked, and the caller's current folder. */
export function whereAsked(
  engine: Engine,
  { folder, cwd }: Pick<Send, "folder" | "cwd">,
): Pick<TurnRequest, "folder" | "cwd"> {
  const from = cwd ? resolve(engine.cwd, cwd) : engine.cwd;
  return { folder: folder ? workFolder(folder, from) : null, cwd: from };
}

/** A turn to send, under an id that was chosen before. */
export interface TurnOrder {
  readonly id: string;
  readonly agent: Agent;
  readonly busy: BusyPolicy;
  readonly request: Omit<TurnRequest, "agent">;
}

/** Opens the turn and runs it when the session is free; a queued one is left to the session's owner. */
export async function sendTurn(
  engine: Engine,
  order: TurnOrder,
  { onOpened, ...options }: DriveTurnOptions & Pick<SendOptions, "onOpened"> = {},
): Promise<Turn> {
  // If the caller learns of the turn only at its end, it need not be durable before its launch. A skipped
  // turn ends at once.
  const answersAtOnce = order.busy === "queue" || order.busy === "skip";
  const callerKnows = answersAtOnce || onOpened !== undefined || options.leave !== undefined;
  const turn = await openTurn(engine, order, callerKnows ? "durable" : "buffered");
  onOpened?.(turn.id);
  if (order.busy === "queue" && turn.status === "queued") return serveQueued(engine, turn, options);
  return (await driveTurn(engine, turn.id, options)) ?? turn;
}

/**
 * Checks everything it can, then writes the turn. If a turn with this id exists, that one is returned; if
 * it was interrupted before anything was started, it is queued again.
 */
export async function openTurn(
  engine: Engine,
  { id, agent, busy, request }: TurnOrder,
  durability: Durability = "durable",
): Promise<Turn> {
  checkPrompt(request.prompt);
  const within = request.within ?? engine.within;
  const bound = bindAgent(engine, agent, request);
  checkAccess(engine, bound, request);
  await probe(engine, bound, { writes: true });
  const turn = await engine.store.openTurn({
    id,
    request: {
      ...request,
      agent: agent.name,
      ...(within !== null && { within }),
    },
    provider: agent.provider,
    busy,
    owner: engine.owner,
    durability,
    at: engine.now(),
  });
  if (!isUnstarted(turn)) return turn;
  return engine.store.reopenTurn({ turn: id, owner: engine.owner, at: engine.now() });
}

async function serveQueued(engine: Engine, turn: Turn, options: DriveTurnOptions): Promise<Turn> {
  try {
    const claim = await claimOnce(engine, turn);
    if (!claim.granted) return turn;
    const claimed = { turn: turn.id, token: claim.token, record: claim.turn };
    return await runTurn(engine, claimed, options);
  } catch (error) {
    if (!(error instanceof FencedError)) throw error;
    return (await driveTurn(engine, turn.id, options)) ?? readTurn(engine, turn.id);
  }
}

/** The agent that is named, else the session's, else the user's choice for the folder of a new session. */
export async function agentFor(
  engine: Engine,
  key: string,
  name: string | null,
  { folder, cwd }: Pick<TurnRequest, "folder" | "cwd"> = { folder: null, cwd: null },
): Promise<Agent> {
  const wanted =
    name ??
    (await engine.store.readSession(key))?.agent ??
    defaultAgentIn(folder ?? cwd ?? engine.cwd, engine.settings);
  if (wanted === null)
    throw new UsageError(
      "no-agent-named",
      `Session ${key} is new, so it needs an agent.`,
      `Name one with ${option("agent")}, or choose one for this folder with ${command("agent use", slot("NAME"))}. ${verb("agents.list")} shows the agents.`,
    );
  const agent = await engine.store.readAgent(wanted);
  if (agent) return agent;
  throw new NotFoundError(
    "no-agent",
    `There is no agent ${wanted}.`,
    `Create it with ${verb("agents.create", { name: wanted, provider: slot("NAME") })}. ${verb("agents.list")} shows the agents.`,
  );
}

function checkPrompt(prompt: string): void {
  if (prompt.trim() === "")
    throw new UsageError("empty-prompt", "The prompt is empty.", "Say what the agent should do.");
  const bytes = Buffer.byteLength(prompt);
  if (bytes > maxPromptBytes)
    throw new UsageError(
      "prompt-too-large",
      `The prompt has ${bytes} bytes; at most ${maxPromptBytes} can be sent.`,
      "Put the text into a file in the work folder and name it in the prompt.",
    );
}
