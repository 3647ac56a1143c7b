/** Observes, decides and composes one attempt, and prepares the provider session for it. */

import { decide, importsNative } from "@reprise/core/session/decide";
import type { Attempt } from "@reprise/core/session/turn";
import { readOnce } from "@reprise/providers/files";
import type { SessionFacts } from "@reprise/store/contract/sessions";
import type { DecidedAttempt } from "@reprise/store/contract/turns";
import type { Engine } from "../engine.ts";
import { overflowed, triedToCompact, withEarlierNotices, withNotices } from "./compaction.ts";
import { type BoundAgent, observe, probe, type TurnContext } from "./observe.ts";
import { afterImport, importNativeTurns, prepare } from "./preparation.ts";
import { composePrompt } from "./prompt.ts";
import type { ClaimedTurn } from "./run-turn.ts";

export interface PreparedAttempt {
  readonly context: TurnContext;
  readonly prompt: string;
  /** What is still to be recorded: with the launch, in one transaction. Null if it is recorded. */
  readonly decided: DecidedAttempt | null;
  /** The attempt as far as it is recorded. */
  readonly attempt: Attempt | null;
  /** As they are now; null if the preparation changed them. */
  readonly facts: SessionFacts | null;
}

/** If the preparation fails, it decides again with the history counted as lost. */
export async function decideAttempt(
  engine: Engine,
  { record, turn, token, ...known }: ClaimedTurn & { readonly facts: SessionFacts },
  number: number,
  bound: BoundAgent,
): Promise<PreparedAttempt> {
  const { request } = record;
  const claim = { turn, token };
  const found = known.probe ?? (await probe(engine, bound, { writes: true }));
  let facts = known.facts;
  let imported: TurnContext | null = null;
  let source = readOnce();
  for (let restorable = true; ; ) {
    const observation = await observe(engine, bound, found, request, facts, {
      restorable,
      answered: record.answer !== null,
      overflowed: overflowed(record),
      triedToCompact: triedToCompact(record),
      source,
    });
    const first = decide(observation.wanted, observation.pin, observation.observed);
    const before = { ...observation, decision: first };
    if (
      imported === null &&
      mayImport(before) &&
      (await importNativeTurns(engine, claim, before, source))
    ) {
      imported = before;
      facts = await engine.store.load({ key: request.key, agent: request.agent, turn });
      continue;
    }
    const explained = imported ? afterImport(first, imported) : first;
    const composing = { ...observation, decision: withEarlierNotices(record, explained) };
    const composition = await composePrompt(engine, record, composing);
    const decision = withNotices(composing.decision, composition?.notices ?? []);
    const context = { ...observation, decision };
    const prompt = composition?.text ?? "";
    const bumpEpoch =
      context.pin !== null &&
      decision.verdicts.some(({ guard, passed }) => guard === "history" && !passed);
    const decided = { decision, bumpEpoch };
    const prepares = decision.outcome === "resume" && decision.prepare.length > 0;
    if (!prepares && decision.outcome !== "refuse")
      return { context, prompt, decided, attempt: null, facts: observation.facts };

    // A preparation changes the provider's files; the end of a refused turn makes its decision durable.
    const attempt = await engine.store.recordDecision({
      ...claim,
      ...decided,
      number,
      durability: prepares ? "durable" : "buffered",
      at: engine.now(),
    });
    if (!restorable || (await prepare(engine, claim, number, context)))
      return {
        context,
        prompt,
        decided: null,
        attempt,
        facts: prepares ? null : observation.facts,
      };
    restorable = false;
    source = readOnce();
  }
}

/** Whether the history has turns of a person that this session keeps. */
function mayImport({ facts, observed }: TurnContext): boolean {
  const { state } = observed.history;
  return importsNative(facts) && (state === "advanced" || state === "rewound");
}
