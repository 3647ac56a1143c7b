/** Starts one attempt: writes the spool, records the launch, then starts it. */

import { randomUUID } from "node:crypto";
import type { Decision } from "@reprise/core/session/decision";
import { redact } from "@reprise/core/session/redact";
import type { Attempt, LaunchFacts, Turn } from "@reprise/core/session/turn";
import type { Command, Provider } from "@reprise/providers/provider";
import type { Engine } from "../engine.ts";
import { answersFor } from "./answers.ts";
import { type Equipment, probe, type Situation } from "./observe.ts";
import type { Place } from "./place.ts";

/** Everything a launch needs that the turn and its attempt remember, so that anyone can repeat it. */
interface LaunchPlan {
  readonly facts: LaunchFacts;
  readonly resume: { readonly id: string; readonly place: string } | null;
  /** Not to go on with `resume`, but to fork it. */
  readonly fork: boolean;
  readonly newId: string | null;
  /** File with the answers that the session waits for. */
  readonly answers: string | null;
}

export async function launch(
  engine: Engine,
  { record, ...held }: Place,
  number: number,
  situation: Situation,
  prompt: string,
): Promise<void> {
  const { provider, decision, wanted } = situation;
  const resume = decision.outcome === "resume" ? decision.handle : null;
  const plan: Omit<LaunchPlan, "answers"> = {
    facts: {
      runtime: situation.probe.runtime,
      place: resume?.place ?? (await provider.place(situation.providerAgent, wanted.folder)),
      account: situation.probe.account,
      folder: wanted.folder,
      model: wanted.model,
      instructions: wanted.instructions ?? "none",
    },
    resume,
    fork: forksByCommand(provider, decision),
    newId: resume === null && provider.traits.ids === "caller" ? randomUUID() : null,
  };
  const answers = answersFor(record, decision);
  const command = commandOf(situation, situation.probe.binary, {
    ...plan,
    answers: answers && engine.launcher.answersFile({ turn: record.id, attempt: number }),
  });
  const argv = command.argv.map((argument) => redact(argument, engine.secrets));
  const spool = { turn: record.id, attempt: number };

  await engine.launcher.prepare({
    ...spool,
    argv,
    prompt,
    answers: answers && JSON.stringify(answers),
  });
  await engine.store.recordLaunch({
    ...held,
    number,
    launch: plan.facts,
    argv,
    // The id of a fork is the agent's to tell.
    handle: plan.fork ? null : (resume?.id ?? plan.newId),
    at: engine.now(),
  });
  await engine.launcher.start(spool, command, wanted.folder);
}

/** Starts a recorded launch of which nothing was started; the ticket makes a second start harmless. */
export async function relaunch(
  engine: Engine,
  record: Turn,
  equipment: Equipment,
  attempt: Attempt & { readonly launch: LaunchFacts },
): Promise<void> {
  const { binary } = await probe(engine, equipment, { writes: false });
  const { decision } = attempt;
  const spool = { turn: record.id, attempt: attempt.number };
  const resume = decision.outcome === "resume" ? decision.handle : null;
  const command = commandOf(equipment, binary, {
    facts: attempt.launch,
    resume,
    fork: forksByCommand(equipment.provider, decision),
    newId: resume === null ? attempt.handle : null,
    answers: answersFor(record, decision) && engine.launcher.answersFile(spool),
  });
  await engine.launcher.start(spool, command, attempt.launch.folder);
}

function forksByCommand({ traits }: Provider, decision: Decision): boolean {
  return (
    decision.outcome === "resume" && decision.prepare.includes("fork") && traits.fork === "command"
  );
}

function commandOf(
  { provider, providerAgent }: Equipment,
  binary: string,
  { facts, resume, fork, newId, answers }: LaunchPlan,
): Command {
  const { argv, env } = provider.command({
    agent: providerAgent,
    binary,
    runtime: facts.runtime,
    resume,
    fork,
    newId,
    folder: facts.folder,
    model: facts.model,
    answers,
  });
  return { argv, env: { ...providerAgent.env, ...env } };
}
