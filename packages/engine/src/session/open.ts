/**
 * `open`: the provider's own program on a session, in this terminal, and what was typed there imported
 * when it ends. It is a turn like any other: it stands in line, has the leases, and is owned by the
 * program's process, so that nothing starts beside it even when Reprise is killed.
 */

import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { OpenedSession, SendOptions } from "@reprise/core/api/reprise";
import {
  errorView,
  FencedError,
  RefusedError,
  RetryableError,
  UsageError,
} from "@reprise/core/errors/errors";
import { nativeNotices } from "@reprise/core/session/decide";
import type { Decision, Notice } from "@reprise/core/session/decision";
import { type SessionKey, sessionKey } from "@reprise/core/session/key";
import type { Pin } from "@reprise/core/session/pin";
import type { ProcessIdentity, TurnRequest } from "@reprise/core/session/turn";
import type { ProcessInfo } from "@reprise/providers/launch/launcher";
import { identify, mark } from "@reprise/providers/launch/process";
import type { Command } from "@reprise/providers/provider";
import type { Held } from "@reprise/store/store";
import type { Engine } from "../engine.ts";
import { newId } from "../ids.ts";
import { launchAccess } from "../turn/access.ts";
import { takeCheckpoint } from "../turn/checkpoint.ts";
import { withoutCompaction } from "../turn/compaction.ts";
import { standInLine } from "../turn/line.ts";
import { nativeTurns } from "../turn/native.ts";
import {
  type Equipment,
  equip,
  observe,
  probe,
  type Request,
  type Situation,
} from "../turn/observe.ts";
import { afterImport, importNativeTurns, prepare } from "../turn/preparation.ts";
import { agentFor } from "../turn/send.ts";
import { withoutEffect } from "../turn/without-effect.ts";
import { readSession } from "./sessions.ts";

/** The token grows whenever the turn passes on. */
interface Holding extends Held {
  token: number;
}

type Resumed = Situation & {
  readonly pin: Pin;
  readonly decision: Extract<Decision, { outcome: "resume" }>;
};

export async function openSession(
  engine: Engine,
  argument: string,
  { signal, onProgress }: Pick<SendOptions, "signal" | "onProgress"> = {},
): Promise<OpenedSession> {
  const key = sessionKey(argument);
  await readSession(engine, key);
  const agent = await agentFor(engine, key, null);
  const equipment = equip(engine, agent);
  const { pin } = await engine.store.load({ key, agent: agent.name });
  const request = requestOf(key, pin, equipment);
  await probe(engine, equipment, { writes: true });

  const turn = await engine.store.openTurn({
    id: newId(),
    request: {
      ...request,
      agent: agent.name,
      prompt: `(opened in ${agent.provider}'s own program)`,
      instructions: null,
      channel: null,
      timeout: null,
      outputSchema: null,
      finishes: false,
      origin: null,
    },
    provider: agent.provider,
    busy: "wait",
    owner: engine.owner,
    at: engine.now(),
  });
  const place = await standInLine(engine, turn, {
    signal,
    onWaiting: onProgress,
  });
  if (place === null)
    throw new RetryableError(
      "cancelled",
      `Nothing was opened: session ${key} was still in use.`,
      "Try again when its turn has ended.",
    );
  const held = { turn: place.turn, token: place.token };
  const named = { key, agent: agent.name, provider: agent.provider, turn: turn.id };
  let exit: number | null = null;
  try {
    const situation = await resumable(engine, held, equipment, request);
    onProgress?.({ type: "launched", attempt: 1 });
    exit = await runHere(
      engine,
      held,
      await commandOf(engine, situation, turn.request),
      situation.wanted.folder,
      signal,
    );
    await passOn(engine, held, engine.owner);
    return { ...named, exit, ...(await takeIn(engine, held, situation, request)) };
  } catch (error) {
    if (!(error instanceof FencedError)) {
      await giveUp(engine, held, error);
      throw error;
    }
    if (exit === null) throw error;
    const text = "A turn that stood in line has the session now; it imports what was typed.";
    return { ...named, exit, messages: 0, takenBack: 0, notices: [{ code: "taken-over", text }] };
  }
}

/** As the next turn would decide, in the folder that it would work in. */
function requestOf(key: SessionKey, pin: Pin | null, { provider }: Equipment): Request {
  if (!provider.interactive)
    throw new UsageError(
      "no-own-program",
      `${provider.name} has no program of its own that a session could be opened in.`,
      "Send it a turn instead.",
    );
  if (pin === null || (pin.fork && pin.fork.by !== "copy"))
    throw new UsageError(
      "nothing-to-open",
      `Session ${key} has no provider session yet.`,
      "Send it a turn first.",
    );
  const { model } = pin;
  return {
    ...{ key, surface: "direct", mode: null, continuity: null, model },
    ...{ folder: null, cwd: null },
  };
}

/** Observes, decides and prepares as a turn does; anything but a resume is refused. */
async function resumable(
  engine: Engine,
  held: Held,
  equipment: Equipment,
  request: Request,
): Promise<Resumed> {
  const found = await probe(engine, equipment, { writes: false });
  let imported: Situation | null = null;
  for (let restorable = true; ; restorable = false) {
    let situation = await observe(engine, equipment, found, request, { restorable });
    if (imported === null && (await importNativeTurns(engine, held, situation))) {
      imported = situation;
      situation = await observe(engine, equipment, found, request, { restorable });
    }
    const { pin } = situation;
    const decided = imported ? afterImport(situation.decision, imported) : situation.decision;
    const decision = withoutCompaction(decided);
    await engine.store.recordDecision({
      ...held,
      number: 1,
      decision,
      bumpEpoch: false,
      at: engine.now(),
    });
    if (decision.outcome !== "resume" || pin === null) throw notResumable(request.key, decision);
    if (await prepare(engine, held, 1, situation)) return { ...situation, decision, pin };
    if (!restorable) throw new Error("a history that counts as lost was decided to be resumed");
  }
}

function notResumable(key: string, decision: Decision): RefusedError {
  if (decision.outcome === "refuse") {
    const { code, message, hint } = decision.error;
    return new RefusedError(code, message, hint);
  }
  return new RefusedError(
    "not-resumable",
    `Session ${key} can not be opened: its next turn would not resume (${decision.reason}).`,
    `See "reprise sessions explain ${key}".`,
  );
}

async function commandOf(
  engine: Engine,
  situation: Resumed,
  request: TurnRequest,
): Promise<Command> {
  const { agent, provider, providerAgent, probe: found, decision, wanted } = situation;
  const { argv, env } = provider.interactive!({
    agent: providerAgent,
    binary: found.binary,
    runtime: found.runtime,
    resume: decision.handle,
    newId: null,
    folder: wanted.folder,
    model: wanted.model,
    access: await launchAccess(engine, agent, request, found),
  });
  return { argv, env: { ...providerAgent.env, ...env } };
}

/** In this terminal; the turn belongs to the program while it runs. */
async function runHere(
  engine: Engine,
  held: Holding,
  { argv: [file = "", ...args], env }: Command,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...env, [mark]: held.turn },
    stdio: "inherit",
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, name) => resolve(code ?? 128 + (name ? constants.signals[name] : 0)));
  });
  ended.catch(() => {});
  // Only the program: it is in the process group of this terminal, and so are we.
  const stop = () => void child.kill("SIGTERM");
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const owner = child.pid === undefined ? null : identify(child.pid);
    if (owner) await passOn(engine, held, owner);
    return await ended;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

async function passOn(engine: Engine, held: Holding, owner: ProcessIdentity): Promise<void> {
  const token = await engine.store.takeOver({ ...held, owner });
  if (token === null) throw new FencedError(held.turn);
  held.token = token;
}

/** Imports what was typed and ends the turn, in one transaction. */
async function takeIn(
  engine: Engine,
  held: Held,
  equipment: Equipment & Pick<Situation, "decision">,
  request: Request,
): Promise<Pick<OpenedSession, "messages" | "takenBack" | "notices">> {
  const found = await probe(engine, equipment, { writes: false });
  const situation = await observe(engine, equipment, found, request);
  const at = engine.now();
  const typed = nativeTurns(situation, at);
  const notices = [
    ...equipment.decision.notices,
    ...noticesOf(situation, typed !== null),
    ...survivorNotices(await engine.launcher.survivors(held.turn)),
  ];
  await engine.store.finishTurn({
    ...withoutEffect,
    ...held,
    status: "done",
    error: null,
    notices,
    attempt: {
      number: 1,
      ending: "confirmed",
      handle: situation.pin?.handle.id ?? null,
      exit: null,
      error: null,
      usage: null,
      tools: false,
    },
    messages: typed?.messages ?? [],
    takenBack: typed?.takenBack ?? [],
    pin: typed?.pin ?? null,
    checkpoint: typed
      ? await takeCheckpoint(situation.provider, typed.pin, situation.subject.checkpoint)
      : null,
    at,
  });
  return {
    messages: typed?.messages.length ?? 0,
    takenBack: typed?.takenBack.length ?? 0,
    notices,
  };
}

function noticesOf({ observed }: Situation, typed: boolean): Notice[] {
  const { state } = observed.history;
  if (state === "rewound") return nativeNotices(observed.history);
  if (typed || state === "same" || state === "unknown") return [];
  return [
    {
      code: "not-imported",
      text: `The provider's history is ${state} now, so nothing was imported; the next turn settles it.`,
    },
  ];
}

/** Whatever the program left behind may still write the session. */
function survivorNotices(survivors: readonly ProcessInfo[]): Notice[] {
  if (survivors.length === 0) return [];
  const names = survivors.map(({ pid, command }) => `${command} (${pid})`).join(", ");
  return [{ code: "survivors", text: `Still running after the program: ${names}.` }];
}

async function giveUp(engine: Engine, held: Held, error: unknown): Promise<void> {
  const refused = error instanceof RefusedError;
  const open = (await engine.store.readTurn(held.turn))?.attempts.at(-1);
  const ending = refused ? "refused" : "failed";
  await engine.store.finishTurn({
    ...withoutEffect,
    ...held,
    status: ending,
    error: errorView(error),
    attempt:
      open && open.ending === null
        ? {
            number: open.number,
            ending,
            handle: null,
            exit: null,
            error: errorView(error),
            usage: null,
            tools: false,
          }
        : null,
    at: engine.now(),
  });
}
