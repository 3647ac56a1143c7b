/**
 * Starts one attempt, with the prompt or to compact the session: writes the spool, waits for a free slot, records the
 * launch, then starts it.
 */

import { randomUUID } from "node:crypto";
import { availableParallelism, totalmem } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { FencedError } from "@reprise/core/errors/errors";
import { cancelledBy } from "@reprise/core/session/cancel-reason";
import { compactionOf } from "@reprise/core/session/decide";
import type { Compaction, Decision } from "@reprise/core/session/decision";
import { impliedModel } from "@reprise/core/session/policy";
import { redact } from "@reprise/core/session/redact";
import type { Attempt, LaunchFacts, Turn } from "@reprise/core/session/turn";
import { can } from "@reprise/providers/define-provider";
import type { SpoolId } from "@reprise/providers/launch/launcher";
import type {
  AgentCommand,
  LaunchAccess,
  LaunchRequest,
  Provider,
} from "@reprise/providers/provider";
import { schemaText } from "@reprise/providers/schema";
import type { DecidedAttempt } from "@reprise/store/contract/turns";
import type { Store } from "@reprise/store/store";
import type { Engine } from "../engine.ts";
import { launchAccess } from "./access.ts";
import { answersFor, type PreparedAttempt } from "./decide-attempt.ts";
import { type BoundAgent, probe } from "./observe.ts";
import type { ClaimedTurn, RunTurnOptions } from "./run-turn.ts";

/** Everything a launch needs. The turn and its attempt record it, so that any process can repeat the launch. */
interface LaunchPlan {
  readonly facts: LaunchFacts;
  readonly resume: { readonly id: string; readonly place: string } | null;
  /** Fork `resume` instead of continuing it. */
  readonly fork: boolean;
  /** Compact `resume` instead of sending the prompt. */
  readonly compact: Compaction | null;
  readonly newId: string | null;
  /** File with the answers that the session waits for. */
  readonly answers: string | null;
  /** A call that `resume` has deferred from an earlier turn. */
  readonly deferred: string | null;
  readonly schema: NonNullable<LaunchRequest["schema"]> | null;
  readonly access: LaunchAccess;
}

export async function launch(
  engine: Engine,
  { record, turn, token }: ClaimedTurn,
  number: number,
  { context, prompt, decided }: PreparedAttempt,
  options: RunTurnOptions = {},
): Promise<Attempt> {
  const { provider, decision, wanted } = context;
  const resume = decision.outcome === "resume" ? decision.handle : null;
  const access = await launchAccess(engine, context.agent, record.request, context.probe);
  const pin = resume && context.pin?.handle.id === resume.id ? context.pin : null;
  const implied = impliedModel(wanted.model, pin, provider.manifest.defaultModel);
  const plan: Omit<LaunchPlan, "answers" | "deferred" | "schema" | "access"> = {
    facts: {
      runtime: context.probe.runtime,
      place: resume?.place ?? (await provider.place(context.providerAgent, wanted.folder)),
      account: context.probe.account,
      folder: wanted.folder,
      model: wanted.model,
      ...(implied !== null && { implied }),
      instructions: wanted.instructions ?? "none",
      access: access.level,
      boot: engine.owner.boot,
      host: engine.hosts.place,
    },
    resume,
    fork: forksByCommand(provider, decision),
    compact: compactionOf(decision),
    newId: resume === null && provider.manifest.ids === "caller" ? randomUUID() : null,
  };
  const answers = answersFor(record, decision);
  const spool = { turn: record.id, attempt: number };
  const schema = schemaFor(engine, record, provider, spool);
  const command = commandOf(context, context.probe.binary, {
    ...plan,
    answers: answers && engine.launcher.answersFile(spool),
    deferred: await deferredIn(provider, resume),
    schema,
    access,
  });
  const argv = command.argv.map((argument) => redact(argument, engine.secrets));

  await engine.launcher.prepare({
    ...spool,
    argv,
    prompt: command.prompt ?? prompt,
    answers: answers && JSON.stringify(answers),
    schema: schema?.text ?? null,
  });
  const launching = {
    turn,
    token,
    number,
    launch: plan.facts,
    argv,
    // The agent reports the id of a fork.
    handle: plan.fork ? null : (resume?.id ?? plan.newId),
  };
  const nested = record.request.within !== undefined;
  const attempt = await recordWhenFree(engine, launching, decided, nested, options);
  await engine.launcher.start(spool, command, wanted.folder);
  return attempt;
}

/** Starts a recorded launch that was never started; the ticket makes a second start harmless. */
export async function relaunch(
  engine: Engine,
  record: Turn,
  bound: BoundAgent,
  attempt: Attempt & { readonly launch: LaunchFacts },
): Promise<void> {
  const found = await probe(engine, bound, { writes: false });
  const { decision } = attempt;
  const spool = { turn: record.id, attempt: attempt.number };
  const resume = decision.outcome === "resume" ? decision.handle : null;
  const command = commandOf(bound, found.binary, {
    facts: attempt.launch,
    resume,
    fork: forksByCommand(bound.provider, decision),
    compact: compactionOf(decision),
    newId: resume === null ? attempt.handle : null,
    answers: answersFor(record, decision) && engine.launcher.answersFile(spool),
    deferred: await deferredIn(bound.provider, resume),
    schema: schemaFor(engine, record, bound.provider, spool),
    access: await launchAccess(engine, bound.agent, record.request, found),
  });
  await engine.launcher.start(spool, command, attempt.launch.folder);
}

async function deferredIn(
  provider: Provider,
  resume: LaunchPlan["resume"],
): Promise<string | null> {
  return (resume && (await provider.deferredCall?.(resume))) ?? null;
}

/** The answer's schema for the agent's own program; null if there is none or the prompt contains it. */
function schemaFor(
  { launcher }: Engine,
  { request: { outputSchema } }: Turn,
  provider: Provider,
  spool: SpoolId,
): NonNullable<LaunchRequest["schema"]> | null {
  if (outputSchema === null || !provider.takesSchema?.(outputSchema)) return null;
  return { text: schemaText(outputSchema), file: launcher.schemaFile(spool) };
}

function forksByCommand(provider: Provider, decision: Decision): boolean {
  return (
    decision.outcome === "resume" &&
    decision.prepare.includes("fork") &&
    can(provider, "fork-command")
  );
}

/** `prompt` replaces the turn's own prompt. */
function commandOf(
  { provider, providerAgent }: BoundAgent,
  binary: string,
  { facts, resume, fork, compact, newId, answers, deferred, schema, access }: LaunchPlan,
): AgentCommand & { readonly prompt?: string } {
  const request = {
    agent: providerAgent,
    binary,
    runtime: facts.runtime,
    resume,
    fork,
    newId,
    folder: facts.folder,
    model: facts.model ?? facts.implied ?? null,
    access,
    answers,
    deferred,
  };
  const command = compact
    ? compactCommand(provider, request, compact)
    : provider.command({ ...request, schema });
  return { ...command, env: { ...providerAgent.env, ...command.env } };
}

function compactCommand(
  provider: Provider,
  { resume, ...request }: LaunchRequest,
  { focus }: Compaction,
): AgentCommand & { readonly prompt: string } {
  if (provider.compact && resume) return provider.compact({ ...request, resume }, focus);
  throw new TypeError(`The provider ${provider.manifest.name} cannot compact a session.`);
}

// Waits until this host may run one more agent, and records the launch in the same transaction, so that
// two processes together never start more than allowed.
// /

const pollInterval = 200;

type Launch = Parameters<Store["recordLaunch"]>[0];

/** The turn was cancelled before its agent was started, while it waited for something. */
export class CancelledBefore extends Error {
  readonly by: string | null;
  readonly for: string;
  constructor(by: string | null, what = "for a free agent") {
    super("cancelled");
    this.by = by;
    this.for = what;
  }
}

/**
 * A turn opened inside another turn does not wait, because that turn may be waiting for it.
 * @throws CancelledBefore; @throws FencedError if it was left and is queued again.
 */
async function recordWhenFree(
  engine: Engine,
  launch: Omit<Launch, "decided" | "limit" | "at">,
  decided: DecidedAttempt | null,
  nested: boolean,
  { signal, leave, onProgress }: RunTurnOptions,
): Promise<Attempt> {
  const max = maxAgents(engine);
  const limit = nested ? {} : { limit: { host: engine.hosts.place, max } };
  const waiting = { type: "limited", limit: "maxAgents", max } as const;
  const { turn, token } = launch;
  for (let poll = 1; ; poll += 1) {
    const first = poll === 1 && decided;
    const recording = { ...launch, ...limit, ...(first && { decided }), at: engine.now() };
    const attempt = await engine.store.recordLaunch(recording);
    if (attempt) return attempt;
    // A turn that waits shows what was decided.
    if (first)
      await engine.store.recordDecision({
        ...{ turn, token, number: launch.number, ...decided },
        durability: "buffered",
        at: engine.now(),
      });
    if (poll === 1) onProgress?.(waiting);
    // Only from the second poll on, so that a short wait leaves no event.
    if (poll === 2) await engine.store.recordWaiting({ turn, token, waiting, at: engine.now() });
    const wake = [signal, leave].filter((each) => each !== undefined);
    await delay(pollInterval, undefined, { signal: AbortSignal.any(wake) }).catch(() => {});
    if (signal?.aborted) throw new CancelledBefore(cancelledBy(signal));
    const cancelled = await engine.launcher.cancelled(turn);
    if (cancelled) throw new CancelledBefore(cancelled.by);
    if (!leave?.aborted) continue;
    await engine.store.requeueTurn({ turn, token });
    throw new FencedError(turn);
  }
}

/** It owns the session and is decided, but its agent is not started yet, because others work. */
export function isLimited({ status, attempts }: Turn): boolean {
  const attempt = attempts.at(-1);
  if (status !== "running" || attempt === undefined || attempt.decision.quota) return false;
  return attempt.launch === null && attempt.ending === null;
}

// How many agents and shell scripts may run at once on this host.

const perCore = 4;
const minAgents = 4;
/** The approximate memory use of an agent. */
const agentBytes = 400 * 1024 * 1024;

export function maxAgents({ settings }: Pick<Engine, "settings">): number {
  if (settings.maxAgents !== null) return settings.maxAgents;
  const byMemory = Math.floor(totalmem() / agentBytes);
  return Math.max(minAgents, Math.min(perCore * availableParallelism(), byMemory));
}

export function maxScripts({ settings }: Pick<Engine, "settings">): number {
  return settings.maxScripts ?? perCore * availableParallelism();
}
