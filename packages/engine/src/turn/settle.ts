/**
 * Settles one attempt: looks at what it showed and at what the provider saved, classifies it, and
 * writes everything that follows in one transaction.
 */

import type { Message } from "@reprise/core/conversation/message";
import { chain, messageDigest, slice } from "@reprise/core/conversation/slice";
import { classify, type Sequel } from "@reprise/core/session/classify";
import type { Decision, Notice } from "@reprise/core/session/decision";
import { type History, lastSummary } from "@reprise/core/session/history";
import type { ChainEnd, Handle, Pin } from "@reprise/core/session/pin";
import { isCredential } from "@reprise/core/session/redact";
import type { Attempt, LaunchFacts } from "@reprise/core/session/turn";
import { addUsage, inputTokens, subtractUsage, type Usage } from "@reprise/core/usage/usage";
import type { FinishedAttempt, NewCheckpoint, Subject } from "@reprise/store/store";
import { sha256 } from "../digest.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../ids.ts";
import { checkpointParts, checkpointVersion } from "./checkpoint.ts";
import type { Equipment } from "./observe.ts";
import type { Place } from "./place.ts";
import type { Seen } from "./watch.ts";

export type LaunchedAttempt = Attempt & {
  readonly launch: LaunchFacts;
  readonly decision: Exclude<Decision, { outcome: "refuse" }>;
};

/** What is known of the provider session after the attempt. */
interface Aftermath {
  readonly subject: Subject;
  readonly handle: Handle | null;
  readonly history: History | null;
  /** Grew by this turn; null where the provider has no witness. */
  readonly grew: boolean | null;
}

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
    notices: await noticesOf(engine, record, attempt, found, seen),
    attempt: finished,
    messages,
    pin: next,
    retire,
    checkpoint: saved ? await checkpointOf(equipment, attempt, after) : null,
    at,
  });
  return "finished";
}

async function lookAfterwards(
  engine: Engine,
  { key, agent }: { key: string; agent: string },
  { provider }: Equipment,
  attempt: LaunchedAttempt,
  seen: Seen,
): Promise<Aftermath> {
  const subject = await engine.store.load({ key, agent });
  const id = seen.id ?? attempt.handle;
  if (id === null || !provider.traits.idPattern.test(id) || isCredential(id, engine.secrets))
    return { subject, handle: null, history: null, grew: false };
  const handle = { id, place: attempt.launch.place };
  if (provider.traits.checkpoint === "none") return { subject, handle, history: null, grew: null };
  const found = await provider.observe(handle, sha256);
  if (typeof found === "string") return { subject, handle, history: null, grew: false };
  const base = attempt.decision.outcome === "resume" ? baseOf(subject.pin, attempt) : null;
  return { subject, handle, history: found, grew: grewFrom(base, found) };
}

/** The history that this attempt started from. */
function baseOf(pin: Pin | null, attempt: Attempt): ChainEnd | null {
  const keptResidue = attempt.decision.notices.some(({ code }) => code === "unconfirmed-kept");
  return keptResidue && pin?.residue ? pin.residue.history : (pin?.history ?? null);
}

/** A turn is saved when the earlier history still is there and an answer follows it. */
function grewFrom(base: ChainEnd | null, history: History): boolean {
  if (history.compacted) return true;
  const digests = history.items.map((item) => item.digest);
  const start = base?.length ?? 0;
  const kept = base === null || chain(digests, sha256, start).digest === base.digest;
  return kept && history.items.slice(start).some((item) => item.role === "assistant");
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

/** The pin after the attempt: advanced, marked with what the attempt left behind, or null for unchanged. */
function nextPin(ended: {
  readonly equipment: Equipment;
  readonly record: Place["record"];
  readonly attempt: LaunchedAttempt;
  readonly found: Sequel;
  readonly seen: Seen;
  readonly usage: Usage | null;
  readonly after: Aftermath;
  readonly messages: readonly Message[];
  readonly at: number;
}): Pin | null {
  const { attempt, found, seen, usage, messages, at } = ended;
  const { handle, history, subject } = ended.after;
  const { agent } = ended.equipment;
  const { pin, outline } = subject;
  const resumed = attempt.decision.outcome === "resume" ? pin : null;
  const given = chain(
    slice([...outline, ...messages], agent.name).map((message) => message.digest),
    sha256,
  );
  const grown = history
    ? chain(
        history.items.map((item) => item.digest),
        sha256,
      )
    : null;

  if (found.pin === "advance" && handle) {
    const { runtime, account, folder, model, instructions } = attempt.launch;
    return {
      handle,
      provider: agent.provider,
      agent: agent.name,
      folder,
      runtime,
      model,
      account,
      instructions,
      given,
      cursor: messages.at(-1)?.id ?? null,
      history: grown,
      summary: history ? lastSummary(history) : null,
      residue: null,
      totals: seen.usage,
      strikes: 0,
      turns: (resumed?.turns ?? 0) + 1,
      tokens: usage ? inputTokens(usage) : (resumed?.tokens ?? 0),
      bytes: history?.bytes ?? 0,
      startedAt: resumed?.startedAt ?? at,
      confirmedAt: at,
    };
  }
  if (resumed === null) return null;
  const left = grown && resumed.history && grown.length > resumed.history.length ? grown : null;
  return {
    ...resumed,
    strikes: resumed.strikes + (found.strike ? 1 : 0),
    residue: left
      ? { turn: ended.record.id, history: left, tools: seen.tools, given }
      : resumed.residue,
  };
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
  seen: Seen,
): Promise<Notice[]> {
  const earlier = record.attempts.filter(({ number }) => number < attempt.number);
  const survivors = seen.tools ? await engine.launcher.survivors(record.id) : [];
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
