/** `send`: continue a key with a prompt. Checks everything that can be checked before anything is written. */

import { setTimeout as delay } from "node:timers/promises";
import { parse } from "@reprise/core/api/parse";
import type { Send, SendOptions, TurnResult } from "@reprise/core/api/reprise";
import { maxPromptBytes, sendSchema } from "@reprise/core/api/schemas";
import { FencedError, NotFoundError, UsageError } from "@reprise/core/errors/errors";
import type { SessionKey } from "@reprise/core/session/key";
import { defaultBusy } from "@reprise/core/session/policy";
import { openStatuses, type Turn } from "@reprise/core/session/turn";
import type { Agent } from "@reprise/store/store";
import type { Engine } from "../engine.ts";
import { newId } from "../ids.ts";
import { workFolder } from "./folder.ts";
import { claimOnce, standInLine } from "./line.ts";
import { equip, probe } from "./observe.ts";
import { readTurn, runTurn } from "./run-turn.ts";
import { turnResult } from "./views.ts";

export async function send(
  engine: Engine,
  input: Send,
  { signal, onProgress }: SendOptions = {},
): Promise<TurnResult> {
  const wanted = parse(sendSchema, input);
  checkPrompt(wanted.prompt);
  const agent = await agentFor(engine, wanted.key, wanted.agent ?? null);
  const folder = await workFolder(wanted.folder ?? agent.folder ?? engine.cwd, engine.cwd);
  await probe(engine, equip(engine, agent), { writes: true });

  const busy = wanted.busy ?? defaultBusy(wanted.surface);
  const turn = await engine.store.openTurn({
    id: newId(),
    request: {
      key: wanted.key as SessionKey,
      agent: agent.name,
      prompt: wanted.prompt,
      surface: wanted.surface,
      mode: wanted.mode ?? null,
      continuity: wanted.continuity ?? null,
      folder,
      model: wanted.model ?? null,
      instructions: wanted.instructions ?? null,
      channel: wanted.channel ?? null,
      timeout: wanted.timeout ?? null,
    },
    provider: agent.provider,
    busy,
    owner: engine.owner,
    at: engine.now(),
  });
  const ended = await serve(engine, turn, busy === "queue", { signal, onProgress });
  return turnResult(ended, await engine.store.readSession(turn.request.key));
}

/** Runs the turn when its time has come; a queued one is left to whoever has the session. */
async function serve(
  engine: Engine,
  turn: Turn,
  queued: boolean,
  {
    signal,
    onProgress,
  }: { signal?: AbortSignal | undefined; onProgress?: SendOptions["onProgress"] | undefined },
): Promise<Turn> {
  if (turn.status !== "queued") return turn;
  try {
    if (queued) {
      const claim = await claimOnce(engine, turn);
      if (!claim.granted) return turn;
      const place = { turn: turn.id, token: claim.token, record: claim.turn };
      return await runTurn(engine, place, { signal, onProgress });
    }
    const place = await standInLine(engine, turn, {
      signal,
      onWaiting: (behind) => onProgress?.({ type: "waiting", behind }),
    });
    if (place === null) return await readTurn(engine, turn.id);
    return await runTurn(engine, place, { signal, onProgress });
  } catch (error) {
    if (!(error instanceof FencedError)) throw error;
    return endElsewhere(engine, turn.id);
  }
}

/** Another process took the turn over; its end is the answer here too. */
async function endElsewhere(engine: Engine, id: string): Promise<Turn> {
  for (;;) {
    const turn = await readTurn(engine, id);
    if (!openStatuses.includes(turn.status)) return turn;
    await delay(100);
  }
}

export async function agentFor(engine: Engine, key: string, name: string | null): Promise<Agent> {
  const wanted = name ?? (await engine.store.readSession(key))?.agent;
  if (wanted === undefined)
    throw new UsageError(
      "no-agent-named",
      `Session ${key} is new, so it needs an agent.`,
      "Name one with --agent; reprise agent list shows them.",
    );
  const agent = await engine.store.readAgent(wanted);
  if (agent) return agent;
  throw new NotFoundError(
    "no-agent",
    `There is no agent ${wanted}.`,
    `Create it with "reprise agent create ${wanted} --provider NAME"; reprise agent list shows them.`,
  );
}

function checkPrompt(prompt: string): void {
  if (prompt.trim() === "")
    throw new UsageError("empty-prompt", "The prompt is empty.", "Say what the agent shall do.");
  const bytes = Buffer.byteLength(prompt);
  if (bytes > maxPromptBytes)
    throw new UsageError(
      "prompt-too-large",
      `The prompt has ${bytes} bytes; at most ${maxPromptBytes} can be sent.`,
      "Put the text into a file in the work folder and name it in the prompt.",
    );
}
