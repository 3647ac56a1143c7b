/**
 * `open`: runs the provider's own program on a session in this terminal, and imports what was typed when it
 * ends. It is a turn like any other: it waits in the queue, holds the leases, and is owned by the program's
 * process, so that nothing starts beside it even if Reprise is killed.
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
import { verb } from "@reprise/core/errors/hint";
import { decide, nativeNotices } from "@reprise/core/session/decide";
import type { Decision, Notice, Resume } from "@reprise/core/session/decision";
import { type SessionKey, sessionKey } from "@reprise/core/session/key";
import type { Pin } from "@reprise/core/session/pin";
import type { ProcessIdentity, TurnRequest } from "@reprise/core/session/turn";
import { can } from "@reprise/providers/define-provider";
import { readOnce } from "@reprise/providers/files";
import { identify, mark } from "@reprise/providers/launch/process";
import type { AgentCommand, FileSource } from "@reprise/providers/provider";
import type { TurnClaim } from "@reprise/store/contract/turns";
import { type Engine, newId } from "../engine.ts";
import { launchAccess } from "../turn/access.ts";
import { openTurn } from "../turn/acquire.ts";
import { takeCheckpoint } from "../turn/checkpoint.ts";
import { withoutCompaction } from "../turn/decide-attempt.ts";
import {
  type BoundAgent,
  bindAgent,
  type FoundProgram,
  type Observation,
  observe,
  probe,
  type Request,
  type TurnContext,
} from "../turn/observe.ts";
import { nativeTurns } from "../turn/observe-after.ts";
import { afterImport, importNativeTurns, prepare } from "../turn/preparation.ts";
import { waitForSession } from "../turn/queue.ts";
import { agentFor } from "../turn/send.ts";
import { survivorNotices } from "../turn/settle.ts";
import { withoutEffect } from "../turn/without-effect.ts";
import { readSession } from "./sessions.ts";

/** The token grows whenever the turn gets another owner. */
interface MutableClaim extends TurnClaim {
  token: number;
}

type Resumed = TurnContext<Resume> & { readonly pin: Pin };

export async function openSession(
  engine: Engine,
  argument: string,
  { signal, onProgress }: Pick<SendOptions, "signal" | "onProgress"> = {},
): Promise<OpenedSession> {
  const key = sessionKey(argument);
  await readSession(engine, key);
  const agent = await agentFor(engine, key, null);
  const bound = bindAgent(engine, agent);
  const { pin } = await engine.store.load({ key, agent: agent.name });
  const request = requestOf(key, pin, bound);
  const { turn, claimed: begun } = await openTurn(engine, {
    id: newId(),
    agent,
    busy: "wait",
    request: {
      ...request,
      prompt: `(opened in ${agent.provider}'s own program)`,
      instructions: null,
      channel: null,
      timeout: null,
      outputSchema: null,
      finishes: false,
      opens: true,
      origin: null,
    },
  });
  const claimed = begun ?? (await waitForSession(engine, turn, { signal, onWaiting: onProgress }));
  if (claimed === null)
    throw new RetryableError(
      "cancelled",
      `Nothing was opened: session ${key} was still in use.`,
      "Try again after its turn has ended.",
    );
  const claim = { turn: claimed.turn, token: claimed.token };
  const named = { key, agent: agent.name, provider: agent.provider, turn: turn.id };
  let exit: number | null = null;
  try {
    const context = await resumable(engine, claim, bound, request);
    onProgress?.({ type: "launched", attempt: 1 });
    exit = await runHere(
      engine,
      claim,
      await commandOf(engine, context, turn.request),
      context.wanted.folder,
      signal,
    );
    await setOwner(engine, claim, engine.owner);
    return { ...named, exit, ...(await importAndFinish(engine, claim, context, request)) };
  } catch (error) {
    if (!(error instanceof FencedError)) {
      await finishFailed(engine, claim, error);
      throw error;
    }
    if (exit === null) throw error;
    const text = "A queued turn owns the session now; it imports what was typed.";
    return { ...named, exit, messages: 0, takenBack: 0, notices: [{ code: "taken-over", text }] };
  }
}

/** The request of a normal next turn, so that `open` uses the same decision and folder. */
function requestOf(key: SessionKey, pin: Pin | null, { provider }: BoundAgent): Request {
  if (!can(provider, "open"))
    throw new UsageError(
      "no-own-program",
      `${provider.manifest.name} has no interactive program in which to open a session.`,
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
    // A person sees there what the provider says.
    ...{ folder: null, cwd: null, now: true },
  };
}

/** Observes, decides and prepares as a turn does; any outcome other than a resume is refused. */
async function resumable(
  engine: Engine,
  claim: TurnClaim,
  bound: BoundAgent,
  request: Request,
): Promise<Resumed> {
  const found = await probe(engine, bound, { writes: false });
  let imported: TurnContext | null = null;
  for (let restorable = true; ; restorable = false) {
    const source = readOnce();
    let context = await decided(engine, bound, found, request, restorable, source);
    if (imported === null && (await importNativeTurns(engine, claim, context, source))) {
      imported = context;
      context = await decided(engine, bound, found, request, restorable, source);
    }
    const { pin } = context;
    const explained = imported ? afterImport(context.decision, imported) : context.decision;
    const decision = withoutCompaction(explained);
    await engine.store.recordDecision({
      ...claim,
      number: 1,
      decision,
      bumpEpoch: false,
      at: engine.now(),
    });
    if (decision.outcome !== "resume" || pin === null) throw notResumable(request.key, decision);
    if (await prepare(engine, claim, 1, context)) return { ...context, decision, pin };
    if (!restorable) throw new Error("a history that counts as lost was decided to be resumed");
  }
}

async function decided(
  engine: Engine,
  bound: BoundAgent,
  found: FoundProgram,
  request: Request,
  restorable: boolean,
  source: FileSource,
): Promise<TurnContext> {
  const facts = await engine.store.load({ key: request.key, agent: bound.agent.name });
  const observation = await observe(engine, bound, found, request, facts, { restorable, source });
  const { wanted, pin, observed } = observation;
  return { ...observation, decision: decide(wanted, pin, observed) };
}

function notResumable(key: string, decision: Decision): RefusedError {
  if (decision.outcome === "refuse") {
    const { code, message, hint } = decision.error;
    return new RefusedError(code, message, hint);
  }
  return new RefusedError(
    "not-resumable",
    `Session ${key} cannot be opened: its next turn would not resume (${decision.reason}).`,
    `See ${verb("sessions.explain", { key })}.`,
  );
}

async function commandOf(
  engine: Engine,
  context: Resumed,
  request: TurnRequest,
): Promise<AgentCommand> {
  const { agent, provider, providerAgent, probe: found, decision, wanted } = context;
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

/** Runs the program in this terminal; its process owns the turn while it runs. */
async function runHere(
  engine: Engine,
  claim: MutableClaim,
  { argv: [file = "", ...args], env }: AgentCommand,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...env, [mark]: claim.turn },
    stdio: "inherit",
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, name) => resolve(code ?? 128 + (name ? constants.signals[name] : 0)));
  });
  ended.catch(() => {});
  // Kill only the program, not its process group: we are in the same group.
  const stop = () => void child.kill("SIGTERM");
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const owner = child.pid === undefined ? null : identify(child.pid);
    if (owner) await setOwner(engine, claim, owner);
    return await ended;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

async function setOwner(
  engine: Engine,
  claim: MutableClaim,
  owner: ProcessIdentity,
): Promise<void> {
  const token = await engine.store.takeOver({ ...claim, owner });
  if (token === null) throw new FencedError(claim.turn);
  claim.token = token;
}

/** Imports what was typed and ends the turn, in one transaction. */
async function importAndFinish(
  engine: Engine,
  claim: TurnClaim,
  bound: BoundAgent & Pick<TurnContext, "decision">,
  request: Request,
): Promise<Pick<OpenedSession, "messages" | "takenBack" | "notices">> {
  const found = await probe(engine, bound, { writes: false });
  const facts = await engine.store.load({ key: request.key, agent: bound.agent.name });
  const source = readOnce();
  const context = await observe(engine, bound, found, request, facts, { source });
  const at = engine.now();
  const typed = nativeTurns(context, at);
  const notices = [
    ...bound.decision.notices,
    ...noticesOf(context, typed !== null),
    ...survivorNotices(await engine.launcher.survivors(claim.turn), "program"),
  ];
  const { next } = await engine.store.finishTurn({
    ...withoutEffect,
    ...claim,
    status: "done",
    error: null,
    notices,
    attempt: {
      number: 1,
      ending: "confirmed",
      handle: context.pin?.handle.id ?? null,
      exit: null,
      error: null,
      usage: null,
      tools: false,
    },
    messages: typed?.messages ?? [],
    takenBack: typed?.takenBack ?? [],
    pin: typed?.pin ?? null,
    checkpoint: typed
      ? await takeCheckpoint(context.provider, typed.pin, context.facts.checkpoint, source)
      : null,
    at,
  });
  if (next) engine.runLater(next);
  return {
    messages: typed?.messages.length ?? 0,
    takenBack: typed?.takenBack.length ?? 0,
    notices,
  };
}

function noticesOf({ observed }: Observation, typed: boolean): Notice[] {
  const { state } = observed.history;
  if (state === "rewound") return nativeNotices(observed.history);
  if (typed || state === "same" || state === "unknown") return [];
  return [
    {
      code: "not-imported",
      text: `The provider's history is ${state} now, so nothing was imported; the next turn handles it.`,
    },
  ];
}

async function finishFailed(engine: Engine, claim: TurnClaim, error: unknown): Promise<void> {
  const refused = error instanceof RefusedError;
  const open = (await engine.store.readTurn(claim.turn))?.attempts.at(-1);
  const ending = refused ? "refused" : "failed";
  await engine.store.finishTurn({
    ...withoutEffect,
    ...claim,
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
