/** Starts one attempt, with the prompt or to compact the session: writes the spool, records the launch, then starts it. */

import { randomUUID } from "node:crypto";
import { compactionOf } from "@reprise/core/session/compaction";
import type { Compaction, Decision } from "@reprise/core/session/decision";
import { impliedModel } from "@reprise/core/session/implied-model";
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
import type { Engine } from "../engine.ts";
import { launchAccess } from "./access.ts";
import { answersFor } from "./answers.ts";
import type { PreparedAttempt } from "./decide-attempt.ts";
import { recordWhenFree } from "./free-agent.ts";
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
