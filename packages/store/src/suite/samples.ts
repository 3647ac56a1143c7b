/** Small, complete values for the suite; every test names only what it is about. */

import { hash } from "node:crypto";
import type { Message } from "@reprise/core/conversation/message";
import type { Decision } from "@reprise/core/session/decision";
import { sessionKey } from "@reprise/core/session/key";
import type { Pin, PinProgress, Runtime } from "@reprise/core/session/pin";
import type { LaunchFacts, ProcessIdentity, TurnRequest } from "@reprise/core/session/turn";
import type { Agent, AgentClass } from "../contract/agents.ts";
import type { CheckpointPart, NewCheckpoint } from "../contract/checkpoints.ts";
import type { FinishedAttempt, FinishTurn, TurnClaim } from "../contract/turns.ts";
import type { Store } from "../store.ts";

type Opening = Parameters<Store["openTurn"]>[0];

export const someone = owner(1);

export function owner(pid: number): ProcessIdentity {
  return { host: "host", boot: "boot", pid, start: "100" };
}

export function agent(overrides: Partial<Agent> = {}): Agent {
  return {
    name: "coder",
    class: null,
    kind: "interactive",
    provider: "scripted",
    model: null,
    folder: null,
    sessions: "default",
    settings: {},
    access: "edit",
    allowedCommands: [],
    onDenied: "note",
    hidden: false,
    createdAt: 1,
    ...overrides,
  };
}

export function agentClass(overrides: Partial<AgentClass> = {}): AgentClass {
  return {
    name: "reviewer",
    kind: "interactive",
    provider: "scripted",
    model: null,
    folder: null,
    settings: {},
    access: "edit",
    allowedCommands: [],
    onDenied: "note",
    createdAt: 1,
    ...overrides,
  };
}

export function opening(
  id: string,
  key: string,
  overrides: Partial<Omit<Opening, "request">> & { request?: Partial<TurnRequest> } = {},
): Opening {
  return {
    id,
    provider: "scripted",
    busy: "wait",
    owner: someone,
    at: 1000,
    ...overrides,
    request: {
      key: sessionKey(key),
      agent: "coder",
      prompt: `Prompt of ${id}.`,
      surface: "direct",
      mode: null,
      continuity: null,
      folder: null,
      cwd: null,
      model: null,
      instructions: null,
      channel: null,
      timeout: null,
      outputSchema: null,
      finishes: false,
      origin: null,
      ...overrides.request,
    },
  };
}

export const blank: Decision = {
  outcome: "blank",
  reason: "prior",
  verdicts: [{ guard: "prior", passed: false, stored: "none", current: "0 messages" }],
  notices: [],
  surface: "direct",
  mode: "resume",
  startupPrompt: "skip_intro",
  runFolder: "source",
};

export const reseed: Decision = { ...blank, outcome: "reseed", reason: "history" };

const runtime: Runtime = {
  product: "scripted",
  home: "/home",
  version: "1",
  abilities: ["resume"],
};

export const launch: LaunchFacts = {
  runtime,
  place: "/place",
  account: null,
  folder: "/work",
  model: null,
  instructions: "none",
};

export function pin(handle: string, overrides: Partial<Pin> = {}): Pin {
  return {
    handle: { id: handle, place: "/place" },
    provider: "scripted",
    agent: "coder",
    folder: "/work",
    runtime,
    model: null,
    account: null,
    instructions: null,
    given: { length: 2, digest: "given" },
    cursor: null,
    history: null,
    summary: null,
    residue: null,
    totals: null,
    strikes: 0,
    turns: 1,
    tokens: 10,
    bytes: 100,
    startedAt: 1000,
    confirmedAt: 2000,
    ...overrides,
  };
}

export function message(id: string, overrides: Partial<Message> = {}): Message {
  return {
    id,
    role: "user",
    agent: "coder",
    provider: "scripted",
    turn: null,
    text: `Text of ${id}.`,
    digest: `digest of ${id}`,
    origin: "turn",
    opening: false,
    at: 2000,
    ...overrides,
  };
}

export function attempt(overrides: Partial<FinishedAttempt> = {}): FinishedAttempt {
  return {
    number: 1,
    ending: "confirmed",
    handle: "h1",
    exit: "0",
    error: null,
    usage: null,
    tools: false,
    ...overrides,
  };
}

export function finish(held: TurnClaim, overrides: Partial<FinishTurn> = {}): FinishTurn {
  return {
    turn: held.turn,
    token: held.token,
    status: "done",
    output: null,
    error: null,
    usage: null,
    notices: [],
    asked: null,
    attempt: null,
    messages: [],
    pin: null,
    retire: null,
    checkpoint: null,
    at: 2000,
    ...overrides,
  };
}

export function part(
  name: string,
  start: number,
  bytes: Uint8Array,
  whole = `${name} up to ${start + bytes.length}`,
): CheckpointPart {
  const sha256 = hash("sha256", bytes, "hex");
  return { name, start, bytes, sha256, size: start + bytes.length, whole };
}

export const standing: PinProgress = {
  given: { length: 2, digest: "given" },
  cursor: "m2",
  history: { length: 2, digest: "history" },
  summary: null,
  residue: null,
  instructions: "none",
  totals: null,
  tokens: 10,
  bytes: 100,
};

export function checkpoint(
  parts: readonly CheckpointPart[],
  overrides: Partial<NewCheckpoint> = {},
): NewCheckpoint {
  return { version: 1, handle: "h1", model: "m1", standing, parts, ...overrides };
}

/** Opens a turn and claims it; the claim must be granted. */
export async function hold(
  store: Store,
  id: string,
  key: string,
  overrides: Parameters<typeof opening>[2] = {},
): Promise<TurnClaim> {
  await store.openTurn(opening(id, key, overrides));
  return claim(store, id);
}

export async function claim(store: Store, id: string, by = someone): Promise<TurnClaim> {
  const answer = await store.claimTurn({ turn: id, owner: by, at: 1500 });
  if (!answer.granted) throw new Error(`Turn ${id} is behind ${answer.behind.id}.`);
  return { turn: id, token: answer.token };
}
