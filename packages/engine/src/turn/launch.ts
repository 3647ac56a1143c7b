/** Starts one attempt: writes the spool, records the launch, then starts it. */

import { randomUUID } from "node:crypto";
import { redact } from "@reprise/core/session/redact";
import type { Attempt, LaunchFacts } from "@reprise/core/session/turn";
import type { Command } from "@reprise/providers/provider";
import type { Engine } from "../engine.ts";
import { type Equipment, probe, type Situation } from "./observe.ts";
import type { Place } from "./place.ts";

/** Everything a launch needs that the turn and its attempt remember, so that anyone can repeat it. */
interface LaunchPlan {
  readonly facts: LaunchFacts;
  readonly resume: { readonly id: string; readonly place: string } | null;
  readonly newId: string | null;
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
  const plan: LaunchPlan = {
    facts: {
      runtime: situation.probe.runtime,
      place: resume?.place ?? (await provider.place(situation.providerAgent, wanted.folder)),
      account: situation.probe.account,
      folder: wanted.folder,
      model: wanted.model,
      instructions: wanted.instructions ?? "none",
    },
    resume,
    newId: resume === null && provider.traits.ids === "caller" ? randomUUID() : null,
  };
  const command = commandOf(situation, situation.probe.binary, plan);
  const argv = command.argv.map((argument) => redact(argument, engine.secrets));
  const spool = { turn: record.id, attempt: number };

  await engine.launcher.prepare({ ...spool, argv, prompt });
  await engine.store.recordLaunch({
    ...held,
    number,
    launch: plan.facts,
    argv,
    handle: resume?.id ?? plan.newId,
    at: engine.now(),
  });
  await engine.launcher.start(spool, command, wanted.folder);
}

/** Starts a recorded launch of which nothing was started; the ticket makes a second start harmless. */
export async function relaunch(
  engine: Engine,
  turn: string,
  equipment: Equipment,
  attempt: Attempt & { readonly launch: LaunchFacts },
): Promise<void> {
  const { binary } = await probe(engine, equipment, { writes: false });
  const { decision } = attempt;
  const resume = decision.outcome === "resume" ? decision.handle : null;
  const command = commandOf(equipment, binary, {
    facts: attempt.launch,
    resume,
    newId: resume === null ? attempt.handle : null,
  });
  await engine.launcher.start({ turn, attempt: attempt.number }, command, attempt.launch.folder);
}

function commandOf(
  { provider, providerAgent }: Equipment,
  binary: string,
  { facts, resume, newId }: LaunchPlan,
): Command {
  const { argv, env } = provider.command({
    agent: providerAgent,
    binary,
    runtime: facts.runtime,
    resume,
    newId,
    folder: facts.folder,
    model: facts.model,
  });
  return { argv, env: { ...providerAgent.env, ...env } };
}
