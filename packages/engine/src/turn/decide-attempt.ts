/** Observes, decides and composes one attempt, and prepares the provider session for it. */

import { sinceOpening } from "@reprise/core/conversation/slice";
import { type Composition, compose } from "@reprise/core/prompt/compose";
import { schemaInstructions } from "@reprise/core/prompt/structured-output";
import { overflowCode } from "@reprise/core/session/classify";
import { compactionCode, compactionOf, decide, importsNative } from "@reprise/core/session/decide";
import type { Decision, Notice } from "@reprise/core/session/decision";
import { notesBeside, renderAnswer } from "@reprise/core/session/question";
import type { Attempt, Turn, TurnRequest } from "@reprise/core/session/turn";
import type { Answers } from "@reprise/providers/answers";
import { can } from "@reprise/providers/define-provider";
import { readOnce } from "@reprise/providers/files";
import type { Provider } from "@reprise/providers/provider";
import type { SessionFacts } from "@reprise/store/contract/sessions";
import type { DecidedAttempt } from "@reprise/store/contract/turns";
import type { Engine } from "../engine.ts";
import { type BoundAgent, observe, probe, type TurnContext } from "./observe.ts";
import { afterImport, importNativeTurns, prepare } from "./preparation.ts";
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
    const prepares =
      decision.outcome === "resume" && decision.prepare.length > 0 && !decision.quota;
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

/** What the earlier launches of a turn mean for its next one, after an overflow or a compaction. */
export function compacts({ decision }: Pick<Attempt, "decision">): boolean {
  return compactionOf(decision) !== null;
}

/** The attempts that ended since the turn was last answered. */
function endedAttempts(turn: Turn): readonly Attempt[] {
  const parked = parkedAttempt(turn)?.number ?? 0;
  return turn.attempts.filter(({ number, ending }) => number > parked && ending !== null);
}

/** How often the prompt has been sent, including `attempt`. */
export function promptNumber(turn: Turn, attempt: Pick<Attempt, "number">): number {
  const before = endedAttempts(turn).filter(({ number }) => number < attempt.number);
  return before.filter((each) => !compacts(each)).length + 1;
}

/** The agent's own program was asked to compact the session, successfully or not. */
export function triedToCompact(turn: Turn): boolean {
  return endedAttempts(turn).some(compacts);
}

/** The prompt did not fit when it was last sent, and the session has not been shortened since. */
export function overflowed(turn: Turn): boolean {
  const last = endedAttempts(turn).findLast(
    (attempt) => !compacts(attempt) || attempt.ending === "compacted",
  );
  return last?.error?.code === overflowCode;
}

/** A person who opens the session does not wait for a compaction: the next turn does it. */
export function withoutCompaction(decision: Decision): Decision {
  if (decision.outcome !== "resume") return decision;
  const { compact: _, prepare, notices, ...rest } = decision;
  return {
    ...rest,
    prepare: prepare.filter((each) => each !== "compact"),
    notices: notices.filter(({ code }) => code !== compactionCode),
  };
}

/**
 * Adds the notices from before a compaction to the turn: the decision after it would not find their
 * cause any more.
 */
function withEarlierNotices<D extends Decision>(turn: Turn, decision: D): D {
  const known = new Set(decision.notices.map(({ code }) => code));
  const compactions = endedAttempts(turn).filter(compacts);
  const earlier = compactions.flatMap(({ decision: { notices }, ending }) =>
    notices.filter(({ code }) => code !== compactionCode || ending === "compacted"),
  );
  const cutOff =
    decision.outcome === "resume" &&
    compactions.some((each) => each.decision.outcome === "resume" && each.decision.cutOff);
  return withNotices(
    cutOff ? { ...decision, cutOff } : decision,
    earlier.filter(({ code }) => !known.has(code)),
  );
}

function withNotices<D extends Decision>(decision: D, notices: readonly Notice[]): D {
  return { ...decision, notices: [...decision.notices, ...notices] };
}

/** Composes the prompt of one attempt. The transcript is read only if the decision quotes it. */
async function composePrompt(
  engine: Engine,
  turn: Turn,
  { decision, facts, agent, provider }: TurnContext,
): Promise<Pick<Composition, "text" | "notices"> | null> {
  if (decision.outcome === "refuse") return null;
  if (answersFor(turn, decision)) return { text: "", notices: [] };
  const quotes =
    decision.outcome === "reseed" || (decision.outcome === "resume" && decision.catchUp > 0);
  const { text, notices } = compose({
    decision,
    agent: agent.name,
    conversation:
      quotes && facts.session
        ? sinceOpening(await engine.store.readTranscript(facts.session.conversation))
        : [],
    instructions: agent.settings.instructions ?? null,
    keepsInstructions: can(provider, "keep-instructions"),
    turnInstructions: turnInstructions(turn.request, provider),
    prompt: promptOf(turn),
    askedLast: facts.askedLast,
    finishes: turn.request.finishes,
    maxBytes: provider.manifest.maxPrompt,
  });
  return { text: provider.escape?.(text) ?? text, notices };
}

/** This turn's own instructions, with the answer's schema if the agent's program does not take one. */
function turnInstructions(
  { instructions, outputSchema }: TurnRequest,
  provider: Provider,
): string | null {
  if (outputSchema === null || provider.takesSchema?.(outputSchema)) return instructions;
  return [instructions, schemaInstructions(outputSchema)].filter(Boolean).join("\n\n");
}

// How the answer to a parked turn reaches the agent: as the provider's own answer, otherwise as text.

/** The attempt that asked last; null in a turn that never waited. */
function parkedAttempt({ attempts }: Turn): Attempt | null {
  return attempts.findLast(({ ending }) => ending === "asked") ?? null;
}

/** The prompt of the next attempt: the turn's own prompt, or the answer as text. */
function promptOf({ request, asked, answer }: Turn): string {
  return asked && answer ? renderAnswer(asked, answer) : request.prompt;
}

/**
 * The answer in the provider's own form. Null if this provider session did not ask: the turn has no
 * question, or another session asked it.
 */
export function answersFor(turn: Turn, decision: Decision): Answers | null {
  const { asked, answer } = turn;
  const parked = parkedAttempt(turn);
  if (asked === null || answer === null || decision.outcome !== "resume") return null;
  if (decision.handle.id !== parked?.handle || decision.catchUp > 0) return null;
  const note = notesBeside(answer, asked.lost).join("\n\n");
  return {
    [asked.question.id]: note ? { ...answer, note } : answer,
  };
}
