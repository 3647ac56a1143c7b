/** Observes the provider session after an attempt: which session it is, and whether it kept the turn. */

import { setTimeout as delay } from "node:timers/promises";
import type { ChainEnd } from "@reprise/core/conversation/slice";
import { type ErrorView, UnreadError } from "@reprise/core/errors/errors";
import { growthSince, type History, type HistoryItem } from "@reprise/core/session/history";
import type { Handle, Pin } from "@reprise/core/session/pin";
import { isCredential } from "@reprise/core/session/redact";
import type { Attempt } from "@reprise/core/session/turn";
import type { FileSource, Provider } from "@reprise/providers/provider";
import type { SessionFacts } from "@reprise/store/contract/sessions";
import { sha256 } from "../digest.ts";
import type { Engine } from "../engine.ts";
import type { BoundAgent } from "./observe.ts";
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
