/**
 * Which session a node's turn goes to. A `sessionId` that is not null names it; else the node's
 * `session`, one key for each entry of the innermost loop that contains all nodes that name it; else the
 * node's own key, new for each execution. A retried execution keeps its key.
 */

import { shown } from "@reprise/core/errors/shown";
import { isSessionKey, keyRule } from "@reprise/core/session/key";
import type { AgentNode, Graph, SessionName } from "../graph.ts";
import type { SessionUse } from "./command.ts";
import { graphIndex, sessionNameOf } from "./graph-index.ts";
import type { Inputs } from "./inputs.ts";
import { framesAround, loopOf } from "./place.ts";
import { isRecord } from "./port-value.ts";
import { problem, type RunProblem } from "./problem.ts";
import type { AgentExecution, Frame, RunState } from "./state.ts";

/** The place in the run of a turn that needs a session. */
export interface SessionPlace {
  readonly graph: Graph;
  readonly state: RunState;
  readonly frame: Frame;
  readonly node: AgentNode;
  readonly inputs: Inputs;
  /** Set if it has started before. */
  readonly execution: AgentExecution | undefined;
  readonly attempt: number;
  readonly claims: Claims;
}

/** Keys that begin at the same moment, with their named session; null if it has no name. */
export type Claims = Map<string, string | null>;

type Messages = NonNullable<SessionUse["messages"]>;
type Chosen = Pick<SessionUse, "key" | "how">;

export function sessionUse(place: SessionPlace): SessionUse | RunProblem {
  const { node, state, execution, attempt } = place;
  const given = givenSession(place.inputs);
  if (node.agentId !== null && (node.mode === "inherit_resume" || isItself(place, given.id)))
    return plain({ key: `agent:${node.agentId}`, how: "continue" });
  const isForeign = given.id !== null && !isKnown(state, given.id);
  if (given.id !== null && isForeign && !node.adopt) return foreignSession(node, given.id);
  const chosen =
    keptKey(state, execution, attempt) ??
    (given.id !== null && !isForeign && node.fork === null
      ? { key: given.id, how: "continue" as const }
      : ownKey(place));
  if (!isSessionKey(chosen.key)) return notAKey(node, chosen.key);
  if (chosen.how === "continue" && !execution?.began && state.sessions.has(chosen.key))
    return plain(chosen);
  return {
    ...chosen,
    fork: node.fork && !isForeign ? (given.id ?? namedKey(place, node.fork)) : null,
    adopt: isForeign ? given.id : null,
    messages: given.messages,
  };
}

/** An agent of kind background without a mode: it continues its own session. */
function isItself({ graph, node }: SessionPlace, given: string | null): boolean {
  const { mode, provider, agentClass, fork } = node;
  const named = mode === null && provider === null && agentClass === null;
  return named && fork === null && given === null && sessionNameOf(graph, node) === null;
}

function plain(chosen: Chosen): SessionUse {
  return { ...chosen, fork: null, adopt: null, messages: null };
}

/** What it started with, in this attempt or an earlier one. */
function keptKey(
  { id }: RunState,
  execution: AgentExecution | undefined,
  attempt: number,
): Chosen | null {
  if (!execution || execution.session === null) return null;
  const { session: key, began } = execution;
  const begins = began && attempt === 1 && key.startsWith(`wf:${id}:agent:`);
  return { key, how: begins ? "begin" : "continue" };
}

function ownKey(place: SessionPlace): Chosen {
  const { graph, node, state } = place;
  const session = sessionNameOf(graph, node);
  const key = session && namedKey(place, session);
  // A session of the workflow may have begun in an earlier run.
  if (key !== null) return { key, how: "continue" };
  const claimant = session && slot(place, session.name);
  return { key: minted(state, session?.name ?? node.id, claimant, place.claims), how: "begin" };
}

/** Null if nothing has begun it yet. */
function namedKey(place: SessionPlace, { name, scope }: SessionName): string | null {
  const { graph, state } = place;
  const part = keyPart(name);
  if (scope === "workflow") return `wf:${graph.slug}:agent:${part}`;
  if (scope === "trigger")
    return `wf:${graph.slug}:trigger:${keyPart(state.trigger ?? "manual")}:agent:${part}`;
  return state.named.get(slot(place, name)) ?? null;
}

/** A named session, in the node's entry of its loop. */
function slot(
  { graph, state, frame }: Pick<SessionPlace, "graph" | "state" | "frame">,
  name: string,
): string {
  const container = graphIndex(graph).containers.get(name) ?? null;
  for (const around of framesAround(state, frame)) {
    const loop = loopOf(state, around);
    if (loop && loop.node === container) return `${name}#${loop.entry}`;
  }
  return `${name}#${state.entries.get("") ?? 1}`;
}

function minted(state: RunState, name: string, claimant: string | null, claims: Claims): string {
  const base = baseKey(state, name);
  for (let count = (state.minted.get(keyPart(name)) ?? 0) + 1; ; count += 1) {
    const key = count === 1 ? base : `${base}:${count}`;
    const claimed = claims.get(key);
    if (claimed !== undefined && (claimed === null || claimed !== claimant)) continue;
    claims.set(key, claimant);
    return key;
  }
}

function baseKey({ id }: RunState, name: string): string {
  return `wf:${id}:agent:${keyPart(name)}`;
}

/** A name as part of a key, without the separator `:`. */
function keyPart(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, "-").slice(0, 100);
}

/** Remembers the key that an execution starts with. */
export function noteSession(
  place: Pick<SessionPlace, "graph" | "state" | "frame" | "node">,
  key: string,
): { began: boolean } {
  const { graph, state, node } = place;
  const session = sessionNameOf(graph, node);
  const name = session?.name ?? node.id;
  const count = countIn(key, baseKey(state, name));
  const isNew = !state.sessions.has(key);
  if (isNew && count !== null) {
    state.minted.set(keyPart(name), Math.max(count, state.minted.get(keyPart(name)) ?? 0));
    if (session?.scope === "run") state.named.set(slot(place, name), key);
  }
  state.sessions.add(key);
  return { began: isNew };
}

function countIn(key: string, base: string): number | null {
  if (key === base) return 1;
  return key.startsWith(`${base}:`) ? Number(key.slice(base.length + 1)) : null;
}

/** A key, or the messages of a conversation from elsewhere. */
function givenSession({ values }: Inputs): { id: string | null; messages: Messages | null } {
  const { sessionId = null, conversationHistory = null } = values;
  if (typeof sessionId === "string" && sessionId !== "") return { id: sessionId, messages: null };
  return { id: null, messages: messagesIn(sessionId) ?? messagesIn(conversationHistory) };
}

function messagesIn(value: unknown): Messages | null {
  if (!isRecord(value) || !Array.isArray(value.messages)) return null;
  const messages = value.messages.filter(
    (message) =>
      isRecord(message) && typeof message.role === "string" && typeof message.content === "string",
  );
  return messages.length > 0 ? messages.map(({ role, content }) => ({ role, content })) : null;
}

function isKnown({ sessions, inputs }: RunState, id: string): boolean {
  return sessions.has(id) || Object.values(inputs).includes(id);
}

function notAKey({ id }: AgentNode, key: string): RunProblem {
  return problem(
    "bad-key",
    `Node "${id}" cannot use the session ${shown(key)}: it is not a key.`,
    keyRule,
  );
}

function foreignSession({ id }: AgentNode, given: string): RunProblem {
  return problem(
    "foreign-session",
    `Node "${id}" got the session ${shown(given)}, which is neither an input of this run nor used in it.`,
    "Pass it as an input of the run, or set adopt: true to adopt a provider's own session.",
  );
}
