/** `explain`: what `send` would decide now. Observes and decides, and never writes. */

import { parse } from "@reprise/core/api/parse";
import type { Explain, Explanation, LookOptions } from "@reprise/core/api/reprise";
import { explainSchema } from "@reprise/core/api/schemas";
import { DeniedError } from "@reprise/core/errors/errors";
import { decide } from "@reprise/core/session/decide";
import type { SessionKey } from "@reprise/core/session/key";
import type { Engine, TurnSetup } from "../engine.ts";
import { headOf } from "../turn/find-turn.ts";
import { bindAgent, observe, probe } from "../turn/observe.ts";
import { decisionView } from "../turn/run-turn.ts";
import { agentFor, whereAsked } from "../turn/send.ts";

export async function explain(
  engine: Engine,
  input: Explain,
  { mayRun = true, setup = {} }: LookOptions & { readonly setup?: TurnSetup } = {},
): Promise<Explanation> {
  const wanted = parse(explainSchema(), input);
  // A caller that may not run anything must not learn whether a folder exists.
  if (!mayRun && wanted.folder != null)
    throw new DeniedError(
      "role",
      "Only an operator can name a folder here.",
      "Remove folder, or use a token with the role operator.",
    );
  const where = whereAsked(engine, mayRun ? wanted : {});
  const agent = await agentFor(engine, wanted.key, wanted.agent ?? null, where);
  const bound = bindAgent(engine, agent, setup);
  const found = await probe(engine, bound, { writes: false });
  const request = {
    key: wanted.key as SessionKey,
    surface: wanted.surface,
    mode: wanted.mode ?? null,
    continuity: wanted.continuity ?? null,
    model: wanted.model ?? null,
    ...(wanted.now && { now: true as const }),
    ...where,
  };
  const facts = await engine.store.load({ key: wanted.key, agent: agent.name });
  const observation = await observe(engine, bound, found, request, facts);
  const head = await headOf(engine, wanted.key);
  const holder = head?.status === "queued" ? null : head;
  return {
    key: wanted.key,
    agent: agent.name,
    provider: agent.provider,
    decision: decisionView(decide(observation.wanted, observation.pin, observation.observed)),
    heldBy: holder
      ? { turn: holder.id, status: holder.status, pid: holder.owner?.pid ?? null }
      : null,
  };
}
