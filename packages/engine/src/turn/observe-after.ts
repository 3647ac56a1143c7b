/** Observes the provider session after an attempt: which session it is, and whether it kept the turn. */

import { setTimeout as delay } from "node:timers/promises";
import type { Message } from "@reprise/core/conversation/message";
import {
  type ChainEnd,
  chain,
  messageDigest,
  sinceOpening,
  slice,
} from "@reprise/core/conversation/slice";
import { type ErrorView, UnreadError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import { versionNotice } from "@reprise/core/session/decide";
import type { Notice } from "@reprise/core/session/decision";
import {
  contextOf,
  growthSince,
  type History,
  type HistoryItem,
  lastSummary,
  type NotKept,
  notKept,
  typedMeanwhile,
} from "@reprise/core/session/history";
import type { Handle, Pin, Runtime } from "@reprise/core/session/pin";
import { isCredential } from "@reprise/core/session/redact";
import type { Attempt } from "@reprise/core/session/turn";
import { shortLine } from "@reprise/core/text/short-line";
import type { FileSource, Provider } from "@reprise/providers/provider";
import type { SessionFacts } from "@reprise/store/contract/sessions";
import { type Engine, newId, sha256 } from "../engine.ts";
import { type BoundAgent, type Observation, probe } from "./observe.ts";
import type { LaunchedAttempt } from "./settle.ts";
import type { WatchedAttempt } from "./watch.ts";

export interface ObservedAfter {
  /** Null when no usable id came back. */
  readonly handle: Handle | null;
  readonly history: History | null;
  /** The end of its chain. */
  readonly end: ChainEnd | null;
  /** What the history gained; empty if it was replaced. */
  readonly gained: readonly HistoryItem[];
  /** The history grew by this turn; null if the provider keeps no history that we can read. */
  readonly grew: boolean | null;
  /** The history has a tool call or an answer of this turn. */
  readonly toolSaved: boolean;
  /** A summary replaced the history; null if the provider keeps no history that we can read. */
  readonly summarised: boolean | null;
  /** Why the history could not be read; null if it could. */
  readonly unread: ErrorView | null;
}

/** Too many open files may pass; a lasting error must not keep the session busy for ever. */
const maxReads = 5;
const readPause = 200;

export async function observeAfter(
  engine: Engine,
  { pin }: Pick<SessionFacts, "pin">,
  { provider }: BoundAgent,
  attempt: LaunchedAttempt,
  seen: WatchedAttempt,
  source: FileSource,
): Promise<ObservedAfter> {
  const id = seen.id ?? attempt.handle;
  if (
    id === null ||
    id === forkedId(attempt) ||
    !provider.manifest.idPattern.test(id) ||
    isCredential(id, engine.secrets)
  )
    return { ...nothing, handle: null };
  const handle = { id, place: attempt.launch.place };
  if (provider.manifest.checkpoint === "none")
    return { ...nothing, handle, grew: null, summarised: null };
  const found = await readPatiently(provider, handle, source);
  if (found instanceof UnreadError) return { ...nothing, handle, unread: found.view() };
  if (typeof found === "string") return { ...nothing, handle };
  const base = attempt.decision.outcome === "resume" ? baseOf(pin, attempt) : null;
  const { kept, items, end } = growthSince(found, base, sha256);
  const asked = seen.asked !== null;
  return {
    handle,
    history: found,
    end,
    gained: kept ? items : [],
    // A turn is saved if the earlier history is still there and an answer, or a question, follows it.
    grew: kept ? items.some(({ role }) => isAnswer(role, asked)) : found.compacted,
    toolSaved: found.items.slice(base?.length ?? 0).some(({ role }) => isAnswer(role, true)),
    summarised: items.some(({ role }) => role === "summary"),
    unread: null,
  };
}

const nothing = {
  history: null,
  end: null,
  gained: [],
  grew: false,
  toolSaved: false,
  summarised: false,
  unread: null,
};

async function readPatiently(
  provider: Provider,
  handle: Handle,
  source: FileSource,
): Promise<Awaited<ReturnType<Provider["observe"]>> | UnreadError> {
  for (let read = 1; ; read += 1)
    try {
      return await provider.observe(handle, sha256, source);
    } catch (error) {
      if (!(error instanceof UnreadError)) throw error;
      if (read === maxReads) return error;
      await delay(readPause);
    }
}

/** The id of the session that the agent should fork: the id that comes back must differ. */
function forkedId({ decision, handle }: LaunchedAttempt): string | null {
  return decision.outcome === "resume" && handle === null ? decision.handle.id : null;
}

/** An earlier unconfirmed turn was kept in the provider session because its tools ran. */
export function buildsOnUnconfirmed({ decision }: Pick<Attempt, "decision">): boolean {
  return decision.outcome === "resume" && decision.keepsUnconfirmed === true;
}

/** The history that this attempt started from. */
function baseOf(pin: Pin | null, attempt: Attempt): ChainEnd | null {
  return buildsOnUnconfirmed(attempt) && pin?.residue
    ? pin.residue.history
    : (pin?.history ?? null);
}

function isAnswer(role: HistoryItem["role"], orTool: boolean): boolean {
  return role === "assistant" || (orTool && role === "tool");
}

// The version of the program that really ran. A probe is cached by the program's file, which does not change when it is
// a wrapper script and the program behind it is upgraded; claude names its version in every turn.

/** Probes again, and replaces the cached probe, if the turn named a version that the probe did not find. */
export async function runtimeThatRan(
  engine: Engine,
  bound: BoundAgent,
  { launch: { runtime } }: LaunchedAttempt,
  { version }: WatchedAttempt,
  resumed: Pin | null,
): Promise<Runtime> {
  // A program may always name another version in its output than with --version.
  if (version === null || version === runtime.version || version === resumed?.reportedVersion)
    return runtime;
  const found = await probe(engine, bound, { writes: true, fresh: true }).catch(() => null);
  return found?.runtime ?? runtime;
}

/** The same notice as for a version that the probe found before the turn, which is not repeated. */
export function changedVersion(
  { launch }: LaunchedAttempt,
  { version }: WatchedAttempt,
  runtime: Runtime,
  resumed: Pin | null,
): Notice[] {
  if (version === null || resumed === null) return [];
  const isKnown = launch.runtime.version !== resumed.runtime.version;
  const probed = runtime.version === version ? resumed.runtime.version : version;
  const before = resumed.reportedVersion ?? probed;
  return isKnown || before === version ? [] : [versionNotice(before, version)];
}

// What a person typed in the agent's own program while a turn ran, and what of both the agent did not keep.

interface TypedBeside {
  readonly typed: readonly HistoryItem[];
  readonly left: NotKept;
}

export const nothingTyped: TypedBeside = { typed: [], left: { typed: [], turn: false } };

export function typedBeside(
  prompt: string,
  answer: string | null,
  {
    provider,
    after: { gained, history },
    resumed,
  }: {
    readonly provider: Pick<Provider, "escape">;
    readonly after: Pick<ObservedAfter, "gained" | "history">;
    readonly resumed: Pick<Pin, "bytes" | "fork" | "residue"> | null;
  },
): TypedBeside {
  const turn = {
    prompts: [prompt.trim(), (provider.escape?.(prompt) ?? prompt).trim()],
    answer,
  };
  // After a fork, or a turn that was not confirmed, the size in the pin is not that from before this turn.
  const since =
    resumed?.fork || resumed?.residue ? Number.POSITIVE_INFINITY : (resumed?.bytes ?? 0);
  const left = notKept(history?.abandoned ?? [], gained, turn, since);
  return { typed: typedMeanwhile(gained, turn, left.turn), left };
}

export function typedNotices({ typed, left }: TypedBeside): Notice[] {
  const messages = typed.length === 1 ? "1 message was" : `${typed.length} messages were`;
  const quoted = left.typed.map((text) => `"${shortLine(text)}"`).join(", ");
  const isShortened = left.typed.some((text) => shortLine(text) !== text);
  return [
    ...(typed.length === 0
      ? []
      : [
          {
            code: "native-turns",
            text: `${messages} added in the provider's own program while this turn ran; they are kept.`,
          },
        ]),
    ...(left.typed.length === 0
      ? []
      : [
          {
            code: "not-kept",
            text: `The agent did not keep what was typed in its own program while this turn ran: ${quoted}.`,
            ...(isShortened && { detail: left.typed.join("\n") }),
          },
        ]),
    ...(left.turn
      ? [
          {
            code: "not-kept",
            text: `The agent did not keep this turn, because it continued what was typed in its own program at the same time. Use ${option("continuity", "reseed")} for the next turn, so that it knows both.`,
          },
        ]
      : []),
  ];
}

/** Turns that a person typed or took back in the provider's own program, as messages of the conversation. */
export function nativeMessages(
  items: readonly HistoryItem[],
  { agent, provider }: { readonly agent: string; readonly provider: string },
  at: number,
): Message[] {
  return items.flatMap(({ role, text }) =>
    role === "user" || role === "assistant"
      ? [
          {
            id: newId(),
            role,
            agent,
            provider,
            turn: null,
            text,
            digest: messageDigest(role, text, sha256),
            origin: "native" as const,
            opening: false,
            at,
          },
        ]
      : [],
  );
}

interface NativeTurns {
  readonly messages: Message[];
  /** Ids of messages. */
  readonly takenBack: readonly string[];
  readonly pin: Pin;
}

/** What was typed or taken back since the last confirmed turn, and the pin that covers it; null if nothing was. */
export function nativeTurns(
  { pin, history, observed, wanted, facts, takenBack }: Observation,
  at: number,
): NativeTurns | null {
  const { state } = observed.history;
  if ((state !== "advanced" && state !== "rewound") || !pin?.history || typeof history === "string")
    return null;
  const known = state === "rewound" ? observed.history.kept : pin.history.length;
  const messages = nativeMessages(history.items.slice(known), wanted, at);
  const current = sinceOpening(facts.outline).filter(({ id }) => !takenBack.includes(id));
  const now = slice([...current, ...messages], wanted.agent);
  return {
    messages,
    takenBack,
    pin: {
      ...pin,
      given: chain(
        now.map((message) => message.digest),
        sha256,
      ),
      cursor: messages.at(-1)?.id ?? (state === "rewound" ? (now.at(-1)?.id ?? null) : pin.cursor),
      history: chain(
        history.items.map((item) => item.digest),
        sha256,
      ),
      ...contextOf(history, sha256),
      summary: lastSummary(history),
      totals: history.totals ?? pin.totals,
      residue: null,
      bytes: history.bytes,
    },
  };
}
