/**
 * Settles one attempt: classifies it by its output and by what the provider saved, and writes everything
 * that follows in one transaction.
 */

import type { Message } from "@reprise/core/conversation/message";
import { messageDigest } from "@reprise/core/conversation/slice";
import type { ErrorView } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import { type Denial, denialLine } from "@reprise/core/session/access";
import { type AttemptResult, classify } from "@reprise/core/session/classify";
import { classifyCompaction } from "@reprise/core/session/decide";
import type { Decision, Notice } from "@reprise/core/session/decision";
import type { Handle, Pin } from "@reprise/core/session/pin";
import { renderAnswer } from "@reprise/core/session/question";
import { afterLimit } from "@reprise/core/session/quota";
import type { Attempt, LaunchFacts } from "@reprise/core/session/turn";
import { shortLine } from "@reprise/core/text/short-line";
import { addUsage, subtractUsage, type Usage } from "@reprise/core/usage/usage";
import { can } from "@reprise/providers/define-provider";
import { readOnce } from "@reprise/providers/files";
import type { ProcessInfo } from "@reprise/providers/launch/launcher";
import type { FileSource, Provider } from "@reprise/providers/provider";
import type { SessionFacts } from "@reprise/store/contract/sessions";
import type { FinishedAttempt } from "@reprise/store/contract/turns";
import { type Engine, newId, sha256 } from "../engine.ts";
import { takeCheckpoint } from "./checkpoint.ts";
import { compacts, overflowed, promptNumber, triedToCompact } from "./decide-attempt.ts";
import { nextPin } from "./next-pin.ts";
import { type BoundAgent, probe, settingsOf } from "./observe.ts";
import {
  changedVersion,
  nativeMessages,
  nothingTyped,
  observeAfter,
  runtimeThatRan,
  typedBeside,
  typedNotices,
} from "./observe-after.ts";
import type { ClaimedTurn } from "./run-turn.ts";
import type { WatchedAttempt } from "./watch.ts";

export type LaunchedAttempt = Attempt & {
  readonly launch: LaunchFacts;
  readonly decision: Exclude<Decision, { outcome: "refuse" }>;
};

export type EndedTurn = Awaited<ReturnType<Engine["store"]["finishTurn"]>>;

/** Null: this attempt was settled and another one follows. */
export async function settle(
  engine: Engine,
  { record, turn, token, facts }: ClaimedTurn & { readonly facts: SessionFacts },
  bound: BoundAgent,
  attempt: LaunchedAttempt,
  watched: WatchedAttempt,
): Promise<EndedTurn | null> {
  const claim = { turn, token };
  const { provider } = bound;
  const seen = await withHolder(engine, bound, attempt, watched);
  const at = engine.now();
  // The history that is judged and the files of the checkpoint are the same bytes.
  const source = readOnce();
  const after = await observeAfter(engine, facts, bound, attempt, seen, source);
  const { pin } = facts;
  const resumed = attempt.decision.outcome === "resume" ? pin : null;
  const compacting = compacts(attempt);
  const evidence = {
    outcome: attempt.decision.outcome,
    number: promptNumber(record, attempt),
    seen,
    exit: seen.exit.code,
    expectedId: attempt.handle,
    idOk: seen.id === null || after.handle !== null,
    historyGrew: after.grew,
    toolSaved: after.toolSaved,
    unread: after.unread,
    cancelled: seen.cancelled,
    cancelledBy: seen.cancelledBy,
    timedOut: seen.timedOut,
    strikes: resumed?.strikes ?? 0,
    maxStrikes: engine.settings.maxStrikes,
    compacts: can(provider, "compact") && record.answer === null && !triedToCompact(record),
    continuesAfter: (until: number) => {
      const { rules } = settingsOf(engine, bound.agent, facts, record.request);
      const { agent, switched = null } = record.request;
      // A turn that was tried anyway fails with what the provider says.
      if (record.request.now) return false;
      const situation = { agent, now: at, rules: rules.quota, switched };
      return isLimit(attempt, until, at) && afterLimit(until, situation) !== "fail";
    },
  };
  const found = compacting
    ? classifyCompaction(evidence, {
        summarised: after.summarised,
        overflowed: overflowed(record),
      })
    : classify(evidence);

  const usage =
    seen.usage && provider.manifest.usage === "session"
      ? subtractUsage(seen.usage, resumed?.totals ?? null)
      : seen.usage;
  const resetAt = found.error?.code === "quota" ? found.error.resetAt : undefined;
  const denied = await deniedIn(provider, attempt, after.handle, seen, source);
  const finished: FinishedAttempt = {
    number: attempt.number,
    ending: found.ending,
    handle: after.handle?.id ?? null,
    exit: seen.exit.code === null ? null : String(seen.exit.code),
    error: found.error,
    usage,
    tools: seen.tools,
    denied,
    ...(resetAt !== undefined && isLimit(attempt, resetAt, at) && { limitedUntil: resetAt }),
  };
  const retiredId = resumed?.handle.id ?? after.handle?.id;
  const retire =
    found.retire && retiredId
      ? { provider: record.provider, handle: retiredId, reason: found.retire }
      : null;

  const beside =
    found.pin === "advance"
      ? typedBeside(record.request.prompt, seen.result, { provider, after, resumed })
      : nothingTyped;
  const messages = compacting
    ? []
    : [
        ...messagesOf(record, attempt, found, seen, pin, at),
        ...nativeMessages(
          beside.typed,
          { agent: record.request.agent, provider: record.provider },
          at,
        ),
      ];
  const runtime = await runtimeThatRan(engine, bound, attempt, seen, resumed);
  const next = nextPin({
    ...{ bound, record, attempt, found, seen, runtime, usage, facts, after, messages, at },
  });
  const checkpointOf = (pin: Pin) => takeCheckpoint(provider, pin, facts.checkpoint, source);
  if (found.status === "again") {
    const compacted = found.ending === "compacted";
    await engine.store.endAttempt({
      ...claim,
      attempt: finished,
      retire,
      pin: retire ? null : next,
      checkpoint: compacted && next ? await checkpointOf(next) : null,
      compacted,
      at,
    });
    return null;
  }

  // Take a checkpoint if the next turn continues from here. A turn without effect is undone instead,
  // and the checkpoint from before it stays the newest.
  const continuesHere =
    found.pin === "advance" ||
    found.pin === "provisional" ||
    (next?.residue?.turn === record.id && next.residue.tools);
  const onDenied = record.request.onDenied ?? bound.agent.onDenied;
  const failure = onDenied === "fail" && found.status === "done" ? denialError(denied) : null;
  return engine.store.finishTurn({
    ...claim,
    status: failure ? "failed" : found.status,
    output: found.status === "done" ? seen.result : null,
    asked: found.status === "waiting" ? seen.asked : null,
    error: failure ?? found.error,
    usage: totalUsage(record.attempts, attempt.number, usage),
    notices: [
      ...(await noticesOf(engine, record, attempt, found, seen, denied)),
      ...changedModel(attempt, seen, resumed),
      ...changedVersion(attempt, seen, runtime, resumed),
      ...typedNotices(beside),
    ],
    attempt: finished,
    messages,
    pin: next,
    retire,
    checkpoint: continuesHere && next ? await checkpointOf(next) : null,
    at,
  });
}

/**
 * A confirmed turn's prompt and answer. For an unconfirmed turn only the prompt, and only if a tool ran
 * or it was a first turn that was cut off: the next turn starts from it.
 */
function messagesOf(
  record: ClaimedTurn["record"],
  attempt: LaunchedAttempt,
  { status, cutOff }: AttemptResult,
  seen: WatchedAttempt,
  pin: Pin | null,
  at: number,
): Message[] {
  const done = status === "done";
  const kept = done || status === "waiting";
  const begun = cutOff === true && pin === null && attempt.decision.outcome !== "resume";
  if (!kept && !seen.tools && !begun) return [];
  const answered = record.asked && record.answer;
  const message = (role: "user" | "assistant", text: string): Message => ({
    id: newId(),
    role,
    agent: record.request.agent,
    provider: record.provider,
    turn: record.id,
    text,
    digest: messageDigest(role, text, sha256),
    origin: kept ? "turn" : "unconfirmed",
    opening: role === "user" && attempt.decision.outcome === "blank" && !answered,
    ...(!kept && !seen.spoolLost && { tools: seen.toolNames }),
    at,
  });
  return [
    message("user", answered ? renderAnswer(record.asked, record.answer) : record.request.prompt),
    ...(done && seen.result !== null ? [message("assistant", seen.result)] : []),
  ];
}

function totalUsage(
  attempts: readonly Attempt[],
  number: number,
  last: Usage | null,
): Usage | null {
  return attempts
    .filter((attempt) => attempt.number !== number)
    .map((attempt) => attempt.usage)
    .concat(last)
    .reduce((sum, usage) => (sum && usage ? addUsage(sum, usage) : (sum ?? usage)), null);
}

function earlierNotice(attempt: Attempt, what: string): Notice {
  return compacts(attempt)
    ? { code: "not-compacted", text: `${what} The turn continued without compaction.` }
    : { code: "second-attempt", text: `${what} The turn was retried once.` };
}

/** Names the process that writes the session, if the provider knows it. */
async function withHolder(
  engine: Engine,
  bound: BoundAgent,
  { handle, launch }: LaunchedAttempt,
  seen: WatchedAttempt,
): Promise<WatchedAttempt> {
  const { provider, providerAgent } = bound;
  const { failure } = seen;
  if (failure?.kind !== "writer" || handle === null || !provider.holder) return seen;
  const { binary } = await probe(engine, bound, { writes: false });
  const holder = await provider.holder(providerAgent, binary, { id: handle, place: launch.place });
  if (holder === null) return seen;
  return { ...seen, failure: { ...failure, message: `${holder}. ${failure.message}` } };
}

/** A notice if the session's model changed without us: on the agent's own screen, or by its program. */
function changedModel(
  { launch }: LaunchedAttempt,
  { model }: WatchedAttempt,
  resumed: Pin | null,
): Notice[] {
  const before = resumed?.ran;
  const named = launch.model ?? launch.implied ?? resumed?.model ?? null;
  if (named !== null || model === null || before === undefined || model === before) return [];
  return [
    { code: "model-ran", text: `The agent ran on ${model}; the previous turn ran on ${before}.` },
  ];
}

async function noticesOf(
  engine: Engine,
  record: ClaimedTurn["record"],
  attempt: Attempt,
  found: AttemptResult,
  { notes }: WatchedAttempt,
  denied: readonly Denial[],
): Promise<Notice[]> {
  const earlier = record.attempts.filter(({ number }) => number < attempt.number);
  return [
    ...earlier.flatMap((each) => (each.error ? [earlierNotice(each, each.error.message)] : [])),
    ...attempt.decision.notices,
    ...(found.notice ? [found.notice] : []),
    ...notes.map((text) => ({ code: "agent", text })),
    ...denied.map((each) => ({ code: "denied", text: denialText(each, attempt) })),
    ...survivorNotices(await engine.launcher.survivors(record.id), "turn"),
  ];
}

/** Denials from the output, and those that only the provider's own record has. */
async function deniedIn(
  provider: Provider,
  { launch }: LaunchedAttempt,
  handle: Handle | null,
  seen: WatchedAttempt,
  source: FileSource,
): Promise<readonly Denial[]> {
  if (launch.access === "full" || handle === null) return seen.denied;
  return [...seen.denied, ...((await provider.denials?.(handle, source).catch(() => [])) ?? [])];
}

/** Remembered for the account, if that is known and the reset has not come. */
function isLimit({ launch }: LaunchedAttempt, until: number, at: number): boolean {
  return launch.account !== null && until > at;
}

/** The session keeps the messages; only the turn counts as failed. */
function denialError([first, ...rest]: readonly Denial[]): ErrorView | null {
  if (first === undefined) return null;
  const more = rest.length > 0 ? ` and ${rest.length} more` : "";
  return {
    code: "denied",
    message: `The agent tried something it may not do: ${denialLine(first)}${more}.`,
    hint: `Allow it with ${option("access")} or allowedCommands, or leave onDenied at note.`,
  };
}

function denialText(denial: Denial, { launch }: Attempt): string {
  return `Denied (access ${launch?.access ?? "unknown"}): ${denialLine(denial)}`;
}

// The notice about processes that an agent left behind, which may still write to its session.

/** `after` is what they outlived: the turn, or the program. */
export function survivorNotices(survivors: readonly ProcessInfo[], after: string): Notice[] {
  if (survivors.length === 0) return [];
  const named = (text: (command: string) => string) =>
    survivors.map(({ pid, command }) => `${text(command)} (${pid})`);
  const short = named((command) => shortLine(command)).join(", ");
  const whole = named((command) => command.trim());
  return [
    {
      code: "survivors",
      text: `Still running after the ${after}: ${short}.`,
      ...(whole.join(", ") !== short && { detail: whole.join("\n") }),
    },
  ];
}
