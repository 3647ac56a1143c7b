/**
 * Settles one attempt: looks at what it showed and at what the provider saved, classifies it, and
 * writes everything that follows in one transaction.
 */

import type { Message } from "@reprise/core/conversation/message";
import { messageDigest } from "@reprise/core/conversation/slice";
import { classify, type Sequel } from "@reprise/core/session/classify";
import type { Decision, Notice } from "@reprise/core/session/decision";
import type { Attempt, LaunchFacts } from "@reprise/core/session/turn";
import { addUsage, subtractUsage, type Usage } from "@reprise/core/usage/usage";
import type { FinishedAttempt, NewCheckpoint } from "@reprise/store/store";
import { sha256 } from "../digest.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../ids.ts";
import { type Aftermath, lookAfterwards } from "./aftermath.ts";
import { checkpointParts, checkpointVersion } from "./checkpoint.ts";
import { nextPin } from "./next-pin.ts";
import type { Equipment } from "./observe.ts";
import type { Place } from "./place.ts";
import type { Seen } from "./watch.ts";

export type LaunchedAttempt = Attempt & {
  readonly launch: LaunchFacts;
  readonly decision: Exclude<Decision, { outcome: "refuse" }>;
};

/** `again`: this attempt was settled and another one follows. */
export async function settle(
  engine: Engine,
  { record, ...held }: Place,
  equipment: Equipment,
  attempt: LaunchedAttempt,
  seen: Seen,
): Promise<"finished" | "again"> {
  const { provider } = equipment;
  const at = engine.now();
  const after = await lookAfterwards(engine, record.request, equipment, attempt, seen);
  const { pin } = after.subject;
  const resumed = attempt.decision.outcome === "resume" ? pin : null;
  const found = classify({
    outcome: attempt.decision.outcome,
    number: attempt.number,
    seen,
    exit: seen.exit.code,
    expectedId: attempt.handle,
    idOk: seen.id === null || after.handle !== null,
    historyGrew: after.grew,
    cancelled: seen.cancelled,
    timedOut: seen.timedOut,
    strikes: resumed?.strikes ?? 0,
    maxStrikes: engine.settings.maxStrikes,
  });

  const usage =
    seen.usage && provider.traits.runningTotals
      ? subtractUsage(seen.usage, resumed?.totals ?? null)
      : seen.usage;
  const finished: FinishedAttempt = {
    number: attempt.number,
    ending: found.ending,
    handle: after.handle?.id ?? null,
    exit: seen.exit.code === null ? null : String(seen.exit.code),
    error: found.error,
    usage,
    tools: seen.tools,
  };
  const retiredId = resumed?.handle.id ?? after.handle?.id;
  const retire =
    found.retire && retiredId
      ? { provider: record.provider, handle: retiredId, reason: found.retire }
      : null;

  if (found.status === "again") {
    await engine.store.endAttempt({ ...held, attempt: finished, retire, at });
    return "again";
  }

  const messages = messagesOf(record, attempt, found, seen, at);
  const next = nextPin({ equipment, record, attempt, found, seen, usage, after, messages, at });
  const saved = found.pin === "advance" || (next?.residue?.turn === record.id && seen.tools);
  await engine.store.finishTurn({
    ...held,
    status: found.status,
    output: found.status === "done" ? seen.result : null,
    error: found.error,
    usage: totalUsage(record.attempts, attempt.number, usage),
    notices: await noticesOf(engine, record, attempt, found),
    attempt: finished,
    messages,
    pin: next,
    retire,
    checkpoint: saved ? await checkpointOf(equipment, attempt, after) : null,
    at,
  });
  return "finished";
}

/** A confirmed turn's prompt and answer; of an unconfirmed one only what a tool made real. */
function messagesOf(
  record: Place["record"],
  attempt: LaunchedAttempt,
  { status }: Sequel,
  seen: Seen,
  at: number,
): Message[] {
  const done = status === "done";
  if (!done && !seen.tools) return [];
  const message = (role: "user" | "assistant", text: string): Message => ({
    id: newId(),
    role,
    agent: record.request.agent,
    provider: record.provider,
    turn: record.id,
    text,
    digest: messageDigest(role, text, sha256),
    origin: done ? "turn" : "unconfirmed",
    opening: role === "user" && attempt.decision.outcome === "blank",
    at,
  });
  return [
    message("user", record.request.prompt),
    ...(done && seen.result !== null ? [message("assistant", seen.result)] : []),
  ];
}

/** What the provider has now; an unconfirmed turn without a tool keeps the checkpoint from before it. */
async function checkpointOf(
  { provider }: Equipment,
  attempt: LaunchedAttempt,
  { subject, handle }: Aftermath,
): Promise<NewCheckpoint | null> {
  if (handle === null || provider.traits.checkpoint === "none") return null;
  const last = subject.checkpoint?.handle === handle.id ? subject.checkpoint : null;
  const parts = checkpointParts(await provider.copyOut(handle), last);
  if (parts.length === 0) return null;
  return { version: checkpointVersion, handle: handle.id, model: attempt.launch.model, parts };
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

async function noticesOf(
  engine: Engine,
  record: Place["record"],
  attempt: Attempt,
  found: Sequel,
): Promise<Notice[]> {
  const earlier = record.attempts.filter(({ number }) => number < attempt.number);
  const survivors = await engine.launcher.survivors(record.id);
  return [
    ...earlier.flatMap(({ error }) =>
      error
        ? [{ code: "second-attempt", text: `${error.message} The turn was tried once more.` }]
        : [],
    ),
    ...attempt.decision.notices,
    ...(found.notice ? [found.notice] : []),
    ...(survivors.length > 0
      ? [
          {
            code: "survivors",
            text: `Still running after the turn: ${survivors.map(({ pid, command }) => `${command} (${pid})`).join(", ")}.`,
          },
        ]
      : []),
  ];
}
