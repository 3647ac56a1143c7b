/**
 * A session as it is now or as it was at a turn: the conversation, the pin, and the provider's files. It
 * needs no lease: an unconfirmed turn is not part of it.
 */

import type { Message } from "@reprise/core/conversation/message";
import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import { judgeHistory } from "@reprise/core/session/history";
import type { Pin } from "@reprise/core/session/pin";
import type { Turn } from "@reprise/core/session/turn";
import type { Provider, ProviderFile } from "@reprise/providers/provider";
import type { Session } from "@reprise/store/contract/sessions";
import { type Engine, sha256 } from "../engine.ts";
import { copiesOf, filesAt, withProgress } from "../turn/checkpoint.ts";
import { findTurn, headOf } from "../turn/find-turn.ts";
import { presentPin } from "./present-pin.ts";
import { readInScratch } from "./scratch.ts";
import { readSession } from "./sessions.ts";

export interface Snapshot {
  readonly session: Session;
  readonly agent: string;
  readonly provider: Provider;
  /** Null: as it is now. */
  readonly turn: Turn | null;
  readonly messages: readonly Message[];
  /** Null if no known provider session has these messages. */
  readonly pin: Pin | null;
  /** Id of the provider session that the key continues now; null before its first confirmed turn. */
  readonly current: string | null;
  /** The files of that provider session, which match the pin exactly; null if there are none. */
  readonly files: readonly ProviderFile[] | null;
  /** It is the current state of the pinned provider session. */
  readonly atEnd: boolean;
  /** The turn that waits for an answer; its question and what it left in the provider's files are left out. */
  readonly parked: Turn | null;
}

export async function takeSnapshot(
  engine: Engine,
  key: string,
  at: string | null = null,
): Promise<Snapshot> {
  const session = await readSession(engine, key);
  const turn = at === null ? null : await confirmedTurn(engine, key, at);
  const agent = turn?.request.agent ?? session.agent;
  const provider = engine.provider(turn?.provider ?? session.provider);
  const pin = await presentPin(engine, (await engine.store.load({ key, agent })).pin);
  const transcript = await engine.store.readTranscript(session.conversation);
  const parked = turn === null ? await waitingTurn(engine, key) : null;
  const before = parked ? beforeTurn(transcript, parked) : transcript;
  const messages = turn === null ? before : await asOf(engine, turn, upTo(transcript, turn));
  const base = { session, agent, provider, turn, messages, parked };
  // A fork whose first turn has not run has no provider session of its own, and an unconfirmed one is not
  // used: both begin from the transcript.
  if (pin === null || pin.provisional || (pin.fork && pin.fork.by !== "copy"))
    return { ...base, pin: null, current: null, files: null, atEnd: false };

  const atEnd = parked === null && (turn === null || messages.at(-1)?.id === pin.cursor);
  const then = atEnd
    ? { ...pin, residue: null }
    : await pinAt(engine, key, pin, (id) => (turn ? id === turn.id : id !== parked?.id));
  const files = then && (await filesOf(engine, provider, key, then));
  return { ...base, pin: then, current: pin.handle.id, files, atEnd };
}

/** A finished turn of the key, by its number or the beginning of its id. */
async function confirmedTurn(engine: Engine, key: string, at: string): Promise<Turn> {
  const turn = await turnOf(engine, key, at);
  if (turn.status === "done") return turn;
  throw new UsageError(
    "turn-not-confirmed",
    `Turn ${turn.seq} of session ${key} is ${turn.status}; only a turn that is done can be used.`,
    "Name a turn that is done.",
  );
}

async function turnOf(engine: Engine, key: string, at: string): Promise<Turn> {
  const seq = /^\d{1,9}$/.test(at) ? Number(at) : null;
  if (seq !== null) {
    const [turn] = await engine.store.listTurns({ key, before: seq + 1, limit: 1 });
    if (turn?.seq === seq) return turn;
  }
  const turn = await findTurn(engine, at);
  if (turn.request.key === key) return turn;
  throw new NotFoundError(
    "no-turn",
    `Turn ${at} does not belong to session ${key}.`,
    `${verb("sessions.show", key)} lists its turns.`,
  );
}

function upTo(transcript: readonly Message[], turn: Turn): Message[] {
  return transcript.slice(0, transcript.findLastIndex((message) => message.turn === turn.id) + 1);
}

/** Messages that were taken back after that turn were still current at that turn. */
async function asOf(engine: Engine, { seq }: Turn, messages: Message[]): Promise<Message[]> {
  const later = new Set<string>();
  for (const id of new Set(messages.flatMap(({ takenBack }) => takenBack ?? [])))
    if (((await engine.store.readTurn(id))?.seq ?? 0) > seq) later.add(id);
  return messages.map(({ takenBack, ...message }) =>
    takenBack === undefined || later.has(takenBack) ? message : { ...message, takenBack },
  );
}

/** The turn that waits for an answer: its question must not be copied to another session. */
async function waitingTurn(engine: Engine, key: string): Promise<Turn | null> {
  const head = await headOf(engine, key);
  return head?.status === "waiting" ? head : null;
}

function beforeTurn(transcript: readonly Message[], turn: Turn): readonly Message[] {
  const first = transcript.findIndex((message) => message.turn === turn.id);
  return first === -1 ? transcript : transcript.slice(0, first);
}

/** The pin as the newest of these turns left it; null if that provider session is no longer the pinned one. */
async function pinAt(
  engine: Engine,
  key: string,
  pin: Pin,
  isTurn: (turn: string) => boolean,
): Promise<Pin | null> {
  const { agent, handle } = pin;
  const { heads } = await engine.store.readCheckpoints({ key, agent, handle: handle.id });
  const head = heads.find(({ turn, agent: by }) => turn !== null && isTurn(turn) && by === agent);
  return head?.standing ? { ...withProgress(pin, head.standing, head.model), residue: null } : null;
}

/** The provider's current files if they match the pin, otherwise those of the first checkpoint that does. */
async function filesOf(
  engine: Engine,
  provider: Provider,
  key: string,
  pin: Pin,
): Promise<readonly ProviderFile[] | null> {
  if (provider.manifest.checkpoint === "none") return null;
  const fits = async (files: readonly ProviderFile[]) => {
    const { history } = await readInScratch(engine, provider, pin.handle.id, files);
    return judgeHistory(pin, history, "none", sha256).state === "same";
  };
  const live = await provider.copyOut(pin.handle);
  if (live.length > 0 && (await fits(live))) return live;
  const { agent, handle } = pin;
  const kept = await engine.store.readCheckpoints({ key, agent, handle: handle.id });
  const copies = copiesOf(kept);
  for (const head of kept.heads) {
    if (head.standing && head.standing.history?.digest !== pin.history?.digest) continue;
    const files = filesAt(head, copies);
    if (files && (await fits(files))) return files;
  }
  return null;
}
