/**
 * How `Reprise` is reached over HTTP: one entry for each of its methods. The server answers by this
 * table, the client asks by it, and the OpenAPI document is made from it, so no method is written twice.
 * Names in braces in a path are fields of the input; what is left of it is the query of a GET or DELETE,
 * and the body of a POST.
 */

import { z } from "zod";
import { turnStatuses } from "../session/turn.ts";
import { once } from "./parse.ts";
import * as portable from "./portable-schemas.ts";
import * as protect from "./protect-schemas.ts";
import type { Reprise, RunOptions, StartOptions, TurnResult } from "./reprise.ts";
import type { Role } from "./role.ts";
import * as runs from "./run-schemas.ts";
import * as schemas from "./schemas.ts";
import * as tokens from "./token-schemas.ts";

export type Method = "GET" | "POST" | "DELETE";

export interface Route {
  /** `sessions.send`: the method of `Reprise`, and the operation's id. */
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly about: string;
  readonly role: Role;
  readonly input: () => z.ZodObject;
  /** Null when there is no result to return. */
  readonly output: (() => z.ZodType) | null;
  /** The arguments of the method as one input. */
  readonly ask: (...args: never[]) => object;
  readonly call: (reprise: Reprise, input: never, options: CallOptions) => Promise<unknown>;
  /** The work may take long: it is started, and `?wait=` limits how long the answer may take. */
  readonly long: LongWork | null;
  /** Whether the work has ended or waits; `?wait=` waits for that. */
  readonly rests: ((found: never) => boolean) | null;
  /** A list, one page at a time: `after` is the cursor of the last row before. */
  readonly page: Page | null;
  /** The input has `by`, the name of the caller. */
  readonly signed: boolean;
  /** The answer has a secret that is shown only once, so it is not kept for a repeated call. */
  readonly shownOnce: boolean;
  /** An earlier path or name, kept for one version. */
  readonly deprecated: boolean;
}

/** Work that continues when its client leaves. */
export interface LongWork {
  /** Name of the route that shows the result, by the one parameter in its path. */
  readonly shownBy: string;
  /** Its id can be chosen before it begins. */
  readonly chosen: boolean;
  /** Whether the found turn was interrupted before anything was started: then a repeated call sends it. */
  readonly unstarted?: (found: never) => boolean;
}

export interface Page {
  readonly cursor: (row: never) => string;
  /** Rows of a page unless given. */
  readonly limit: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** For a call that only reads: whether the caller could start what it reads about. */
  readonly mayRun?: boolean;
  /** Aborting stops driving the work, and leaves it to the next process. */
  readonly leave?: AbortSignal;
  /** For long work whose id can be chosen. */
  readonly id?: string;
  /** Called once, when long work is stored, with the id of its turn, run or item; for an item, whether the answer is new. */
  readonly onAccepted?: (subject: string, given?: boolean) => void;
}

const empty = once(() => z.strictObject({}));
/** No page has more rows. */
const pageLimit = once(() => z.coerce.number().int().positive().max(1000));
const flag = once(() => z.stringbool().or(z.boolean()));
const named = (name: string) => () => z.strictObject({ [name]: z.string().min(1) });
const actorName = once(() => z.string().min(1));
const byKey = once(() => z.strictObject({ key: schemas.keySchema() }));
const sessionFilter = once(() =>
  z.strictObject({
    agent: z.string().optional(),
    q: z.string().max(200).optional(),
    status: z.enum([...turnStatuses, "archived"]).optional(),
    folder: z.string().min(1).optional(),
    since: z.coerce.number().int().optional(),
    ofRuns: flag().optional(),
  }),
);

interface RouteOf<Input extends z.ZodObject, Args extends unknown[], Output> {
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly about: string;
  readonly role?: Role;
  readonly input: () => Input;
  readonly output: (() => z.ZodType<Output>) | null;
  readonly ask: (...args: Args) => object;
  readonly call: (
    reprise: Reprise,
    input: z.output<Input>,
    options: CallOptions,
  ) => Promise<unknown>;
  readonly long?: LongWork;
  readonly rests?: (found: NoInfer<Output>) => boolean;
  readonly page?: Output extends readonly (infer Row)[]
    ? { readonly cursor: (row: Row) => string; readonly limit: number }
    : never;
  readonly signed?: boolean;
  readonly shownOnce?: boolean;
  readonly deprecated?: boolean;
}

function route<Input extends z.ZodObject, Args extends unknown[], Output>(
  given: RouteOf<Input, Args, Output>,
): Route {
  const role = given.role ?? (given.method === "GET" ? "viewer" : "operator");
  const unless = {
    ...{ long: null, rests: null, page: null },
    ...{ signed: false, shownOnce: false, deprecated: false },
  };
  return { ...unless, ...given, input: once(given.input), role } as unknown as Route;
}

const agents: Route[] = [
  route({
    name: "agents.create",
    method: "POST",
    path: "/v1/agents",
    about: "Create an agent.",
    input: schemas.createAgentSchema,
    output: schemas.agentSchema,
    ask: (agent: object) => agent,
    call: (reprise, input) => reprise.agents.create(input),
    signed: true,
  }),
  route({
    name: "agents.list",
    method: "GET",
    path: "/v1/agents",
    about: "List the agents.",
    input: empty,
    output: () => z.array(schemas.agentSchema()),
    ask: () => ({}),
    call: (reprise) => reprise.agents.list(),
  }),
  route({
    name: "agents.show",
    method: "GET",
    path: "/v1/agents/{name}",
    about: "Show an agent.",
    input: named("name"),
    output: schemas.agentSchema,
    ask: (name: string) => ({ name }),
    call: (reprise, { name }) => reprise.agents.show(name!),
  }),
  route({
    name: "agents.set",
    method: "POST",
    path: "/v1/agents/{name}",
    about: "Change an agent; fields that are not given stay as they are.",
    input: schemas.setAgentSchema,
    output: schemas.changedAgentSchema,
    ask: (set: object) => set,
    call: (reprise, input) => reprise.agents.set(input),
    signed: true,
  }),
  route({
    name: "agents.createClass",
    method: "POST",
    path: "/v1/classes",
    about: "Create a class: a definition that agents and nodes are made from.",
    input: schemas.createClassSchema,
    output: schemas.agentClassSchema,
    ask: (agentClass: object) => agentClass,
    call: (reprise, input) => reprise.agents.createClass(input),
    signed: true,
  }),
  route({
    name: "agents.listClasses",
    method: "GET",
    path: "/v1/classes",
    about: "List the classes.",
    input: empty,
    output: () => z.array(schemas.agentClassSchema()),
    ask: () => ({}),
    call: (reprise) => reprise.agents.listClasses(),
  }),
  route({
    name: "agents.showClass",
    method: "GET",
    path: "/v1/classes/{name}",
    about: "Show a class.",
    input: named("name"),
    output: schemas.agentClassSchema,
    ask: (name: string) => ({ name }),
    call: (reprise, { name }) => reprise.agents.showClass(name!),
  }),
  route({
    name: "agents.setClass",
    method: "POST",
    path: "/v1/classes/{name}",
    about: "Change a class; fields that are not given, and agents made from it, stay as they are.",
    input: schemas.setClassSchema,
    output: schemas.agentClassSchema,
    ask: (set: object) => set,
    call: (reprise, input) => reprise.agents.setClass(input),
    signed: true,
  }),
  route({
    name: "agents.providerSessions",
    method: "GET",
    path: "/v1/agents/{agent}/provider-sessions",
    about: "List the provider sessions in the files of an agent's program.",
    // It reads files in a folder that the caller names.
    role: "operator",
    input: () => schemas.listProviderSessionsSchema().extend({ limit: pageLimit().optional() }),
    output: () => z.array(schemas.providerSessionSchema()),
    ask: (list: object) => list,
    call: (reprise, input) => reprise.agents.providerSessions(given(input)),
  }),
];

/** An attempt without arguments was never launched. */
const unstarted = ({ turn, attempts }: TurnResult) =>
  turn.status === "interrupted" && attempts.every(({ argv }) => argv === null);

const sessions: Route[] = [
  route({
    name: "sessions.send",
    method: "POST",
    path: "/v1/sessions/{key}/turns",
    about: "Continue a session with a prompt.",
    input: schemas.sendSchema,
    output: schemas.turnResultSchema,
    ask: (send: object) => send,
    call: (reprise, input, { onAccepted, ...options }) =>
      reprise.sessions.send(input, { ...options, ...(onAccepted && { onOpened: onAccepted }) }),
    long: { shownBy: "turns.why", chosen: true, unstarted },
    signed: true,
  }),
  route({
    name: "sessions.finish",
    method: "POST",
    path: "/v1/sessions/{key}/finish",
    about: "Continue a turn that was cut off, without a new prompt.",
    input: schemas.finishSchema,
    output: schemas.turnResultSchema,
    ask: (finish: object) => finish,
    call: (reprise, input, { onAccepted, ...options }) =>
      reprise.sessions.finish(input, { ...options, ...(onAccepted && { onOpened: onAccepted }) }),
    long: { shownBy: "turns.why", chosen: true, unstarted },
    signed: true,
  }),
  route({
    name: "sessions.list",
    method: "GET",
    path: "/v1/sessions",
    about: "List sessions in the order of their keys, or with `order=used` the last used first.",
    input: () =>
      sessionFilter().extend({
        order: z.enum(["key", "used"]).optional(),
        after: z.string().optional(),
        limit: pageLimit().optional(),
      }),
    output: () => z.array(schemas.sessionSchema()),
    ask: (query: object = {}) => query,
    call: (reprise, input) => reprise.sessions.list(given(input)),
    page: { cursor: ({ key }) => key, limit: 100 },
  }),
  route({
    name: "sessions.count",
    method: "GET",
    path: "/v1/counts/sessions",
    about: "Count sessions.",
    input: sessionFilter,
    output: () => z.int(),
    ask: (filter: object = {}) => filter,
    call: (reprise, input) => reprise.sessions.count(given(input)),
  }),
  route({
    name: "sessions.show",
    method: "GET",
    path: "/v1/sessions/{key}",
    about: "Show a session and its recent turns.",
    input: byKey,
    output: schemas.sessionDetailSchema,
    ask: (key: string) => ({ key }),
    call: (reprise, { key }) => reprise.sessions.show(key),
  }),
  route({
    name: "sessions.explain",
    method: "POST",
    path: "/v1/sessions/{key}/explain",
    about: "Explain what a turn would decide now. Changes nothing.",
    role: "viewer",
    input: schemas.explainSchema,
    output: schemas.explanationSchema,
    ask: (explain: object) => explain,
    call: (reprise, input, { mayRun = true }) => reprise.sessions.explain(input, { mayRun }),
  }),
  route({
    name: "sessions.verify",
    method: "GET",
    path: "/v1/sessions/{key}/verification",
    about: "Compare the provider's history, the checkpoints and the transcript. Changes nothing.",
    input: byKey,
    output: () => z.array(schemas.verificationSchema()),
    ask: (key: string) => ({ key }),
    call: (reprise, { key }) => reprise.sessions.verify(key),
  }),
  route({
    name: "sessions.purge",
    method: "DELETE",
    path: "/v1/sessions/{key}",
    about: "Delete a session with its transcript and checkpoints.",
    input: () => byKey().extend({ force: flag().optional(), by: actorName().optional() }),
    output: null,
    ask: (key: string, options: object = {}) => ({ key, ...options }),
    call: (reprise, { key, force = false, by }) =>
      reprise.sessions.purge(key, { force, ...given({ by }) }),
    signed: true,
  }),
  route({
    name: "sessions.fork",
    method: "POST",
    path: "/v1/sessions/{key}/fork",
    about: "Create a session with the past of another.",
    input: portable.forkSchema,
    output: portable.createdSessionSchema,
    ask: (fork: object) => fork,
    call: (reprise, input) => reprise.sessions.fork(input),
  }),
  route({
    name: "sessions.move",
    method: "POST",
    path: "/v1/sessions/{key}/move",
    about: "Move a session to another folder, or to another home of its provider.",
    input: portable.moveSchema,
    output: portable.movedSessionSchema,
    ask: (move: object) => move,
    call: (reprise, input) => reprise.sessions.move(input),
    signed: true,
  }),
  route({
    name: "sessions.adopt",
    method: "POST",
    path: "/v1/sessions/{key}/adopt",
    about: "Take over a conversation that was started in the provider's own program.",
    input: portable.adoptSchema,
    output: portable.createdSessionSchema,
    ask: (adopt: object) => adopt,
    call: (reprise, input) => reprise.sessions.adopt(input),
  }),
  route({
    name: "sessions.hold",
    method: "POST",
    path: "/v1/sessions/{key}/hold",
    about: "Hold a session: it is not archived, purged or reset.",
    input: schemas.holdSchema,
    output: schemas.sessionSchema,
    ask: (hold: object) => hold,
    call: (reprise, input) => reprise.sessions.hold(input),
  }),
  route({
    name: "sessions.release",
    method: "POST",
    path: "/v1/sessions/{key}/release",
    about: "End a hold.",
    input: schemas.releaseSchema,
    output: schemas.sessionSchema,
    ask: (release: object) => release,
    call: (reprise, input) => reprise.sessions.release(input),
  }),
  route({
    name: "sessions.archive",
    method: "POST",
    path: "/v1/sessions/{key}/archive",
    about: "Archive a session: keep everything and refuse turns.",
    input: () => byKey().extend({ by: actorName().optional() }),
    output: schemas.sessionSchema,
    ask: (key: string, options: object = {}) => ({ key, ...options }),
    call: (reprise, { key, by }) => reprise.sessions.archive(key, given({ by })),
    signed: true,
  }),
  route({
    name: "sessions.revive",
    method: "POST",
    path: "/v1/sessions/{key}/revive",
    about: "Make an archived session usable again.",
    input: () => byKey().extend({ by: actorName().optional() }),
    output: schemas.sessionSchema,
    ask: (key: string, options: object = {}) => ({ key, ...options }),
    call: (reprise, { key, by }) => reprise.sessions.revive(key, given({ by })),
    signed: true,
  }),
  route({
    name: "sessions.compact",
    method: "POST",
    path: "/v1/sessions/{key}/compact",
    about: "Compact a session with its next turn.",
    input: schemas.compactSchema,
    output: schemas.sessionSchema,
    ask: (compact: object) => compact,
    call: (reprise, input) => reprise.sessions.compact(input),
  }),
  route({
    name: "sessions.set",
    method: "POST",
    path: "/v1/sessions/{key}/settings",
    about: "Change the session's own settings.",
    input: schemas.setSessionSchema,
    output: schemas.sessionSchema,
    ask: (set: object) => set,
    call: (reprise, input) => reprise.sessions.set(input),
    signed: true,
  }),
  route({
    name: "sessions.prune",
    method: "POST",
    path: "/v1/prune",
    about: "Archive and purge sessions by policy, or list what would be done.",
    input: schemas.pruneSchema,
    output: schemas.pruneReportSchema,
    ask: (prune: object = {}) => prune,
    call: (reprise, input) => reprise.sessions.prune(input),
  }),
];

const turns: Route[] = [
  route({
    name: "turns.list",
    method: "GET",
    path: "/v1/sessions/{key}/turns",
    about: "List the turns of a session, newest first.",
    input: () =>
      byKey().extend({ after: z.string().min(1).optional(), limit: pageLimit().optional() }),
    output: () => z.array(schemas.turnSummarySchema()),
    ask: (query: object) => query,
    call: (reprise, input) => reprise.turns.list(given(input)),
    page: { cursor: ({ id }) => id, limit: 20 },
  }),
  route({
    name: "turns.why",
    method: "GET",
    path: "/v1/turns/{turn}",
    about: "Show a turn by its id, a unique prefix of it, or its session's key (the last turn).",
    input: named("turn"),
    output: schemas.turnResultSchema,
    ask: (turn: string) => ({ turn }),
    call: (reprise, { turn }) => reprise.turns.why(turn!),
    rests: ({ turn }) => turn.status !== "queued" && turn.status !== "running",
  }),
  route({
    name: "turns.answer",
    method: "POST",
    path: "/v1/turns/{turn}/answer",
    about: "Answer what a waiting turn asked, and continue it.",
    role: "approver",
    input: schemas.answerSchema,
    output: schemas.turnResultSchema,
    ask: (answer: object) => answer,
    call: (reprise, input, { onAccepted, id: _, ...options }) =>
      reprise.turns.answer(input, { ...options, ...(onAccepted && { onOpened: onAccepted }) }),
    long: { shownBy: "turns.why", chosen: false },
    signed: true,
  }),
  route({
    name: "turns.cancel",
    method: "POST",
    path: "/v1/turns/{turn}/cancel",
    about: "Cancel a turn: end its processes and keep its session.",
    input: schemas.cancelTurnSchema,
    output: schemas.turnResultSchema,
    ask: (turn: string, options: object = {}) => ({ turn, ...options }),
    call: (reprise, { turn, by, ownerGone }) =>
      reprise.turns.cancel(turn, { ...(by != null && { by }), ...(ownerGone && { ownerGone }) }),
    signed: true,
  }),
];

const workflows: Route[] = [
  route({
    name: "runs.start",
    method: "POST",
    path: "/v1/runs",
    about: "Start a workflow.",
    input: runs.startRunSchema,
    output: runs.runDetailSchema,
    ask: (start: object) => start,
    call: (reprise, input, { id, ...options }) =>
      reprise.runs.start({ ...input, id: input.id ?? id }, runOptions(options)),
    long: { shownBy: "runs.show", chosen: true },
    signed: true,
  }),
  route({
    name: "runs.plan",
    method: "POST",
    path: "/v1/plans",
    about: "Show what a start would run, with the same checks. Changes nothing.",
    role: "viewer",
    input: runs.startRunSchema,
    output: runs.runPlanSchema,
    ask: (start: object) => start,
    call: (reprise, input, { mayRun = true }) => reprise.runs.plan(input, { mayRun }),
  }),
  route({
    name: "runs.validate",
    method: "POST",
    path: "/v1/workflows/validate",
    about: "Check the text of a workflow.",
    role: "viewer",
    input: runs.validateWorkflowSchema,
    output: runs.workflowReportSchema,
    ask: (workflow: object) => workflow,
    call: (reprise, input) => reprise.runs.validate(input),
  }),
  route({
    name: "runs.list",
    method: "GET",
    path: "/v1/runs",
    about: "List runs, newest first.",
    input: () =>
      z.strictObject({
        status: z.enum(runs.runStatuses).optional(),
        workflow: z.string().optional(),
        after: z.string().min(1).optional(),
        limit: pageLimit().optional(),
      }),
    output: () => z.array(runs.runSchema()),
    ask: (query: object = {}) => query,
    call: (reprise, input) => reprise.runs.list(given(input)),
    page: { cursor: ({ id }) => id, limit: 50 },
  }),
  route({
    name: "runs.count",
    method: "GET",
    path: "/v1/counts/runs",
    about: "Count runs.",
    input: () =>
      z.strictObject({
        status: z.enum(runs.runStatuses).optional(),
        workflow: z.string().optional(),
      }),
    output: () => z.int(),
    ask: (query: object = {}) => query,
    call: (reprise, input) => reprise.runs.count(given(input)),
  }),
  route({
    name: "runs.show",
    method: "GET",
    path: "/v1/runs/{run}",
    about: "Show a run with all of its executions.",
    input: named("run"),
    output: runs.runDetailSchema,
    ask: (run: string) => ({ run }),
    call: (reprise, { run }) => reprise.runs.show(run!),
    rests: ({ status }) => status !== "running",
  }),
  route({
    name: "runs.cancel",
    method: "POST",
    path: "/v1/runs/{run}/cancel",
    about: "Cancel a run: end its processes and keep its sessions.",
    input: runs.cancelRunSchema,
    output: runs.runSchema,
    ask: (cancel: object) => cancel,
    call: (reprise, input) => reprise.runs.cancel(input),
    signed: true,
  }),
  route({
    name: "runs.rerun",
    method: "POST",
    path: "/v1/runs/{run}/rerun",
    about: "Rerun a run: its failed nodes, from a node, or from its start.",
    input: runs.rerunSchema,
    output: runs.runDetailSchema,
    ask: (rerun: object) => rerun,
    call: (reprise, input, options) => reprise.runs.rerun(input, runOptions(options)),
    long: { shownBy: "runs.show", chosen: false },
    signed: true,
  }),
  route({
    name: "runs.continue",
    method: "POST",
    path: "/v1/runs/{run}/continue",
    about: "Continue a run that no process drives.",
    input: named("run"),
    output: runs.runDetailSchema,
    ask: (run: string) => ({ run }),
    call: (reprise, { run }, options) => reprise.runs.continue(run!, runOptions(options)),
    long: { shownBy: "runs.show", chosen: false },
  }),
  route({
    name: "runs.carryOn",
    method: "POST",
    path: "/v1/runs/{run}/carry-on",
    about: "The earlier path of `runs.continue`; removed in the next version.",
    deprecated: true,
    input: named("run"),
    output: runs.runDetailSchema,
    ask: (run: string) => ({ run }),
    call: (reprise, { run }, options) => reprise.runs.carryOn(run!, runOptions(options)),
    long: { shownBy: "runs.show", chosen: false },
  }),
  route({
    name: "inbox.list",
    method: "GET",
    path: "/v1/inbox",
    about:
      "List what waits for a person, oldest first; with `all` also settled gates, newest first.",
    input: () =>
      z.strictObject({
        run: z.string().optional(),
        all: flag().optional(),
        after: z.string().min(1).optional(),
        limit: pageLimit().optional(),
      }),
    output: () => z.array(runs.inboxItemSchema()),
    ask: (query: object = {}) => query,
    call: (reprise, input) => reprise.inbox.list(given(input)),
    page: { cursor: ({ id }) => id, limit: 1000 },
  }),
  route({
    name: "inbox.count",
    method: "GET",
    path: "/v1/counts/inbox",
    about: "Count what waits for a person; with `all` also what is settled.",
    input: () => z.strictObject({ run: z.string().optional(), all: flag().optional() }),
    output: () => z.int(),
    ask: (query: object = {}) => query,
    call: (reprise, input) => reprise.inbox.count(given(input)),
  }),
  route({
    name: "inbox.show",
    method: "GET",
    path: "/v1/inbox/{item}",
    about: "Show an item, and whether its sessions could be resumed now.",
    input: named("item"),
    output: runs.inboxDetailSchema,
    ask: (item: string) => ({ item }),
    call: (reprise, { item }) => reprise.inbox.show(item!),
    rests: ({ resolution }) => resolution !== null,
  }),
  route({
    name: "inbox.answer",
    method: "POST",
    path: "/v1/inbox/{item}/answer",
    about: "Answer an item, once, and continue the work that waited for it.",
    role: "approver",
    input: runs.answerItemSchema,
    output: runs.answeredItemSchema,
    ask: (answer: object) => answer,
    call: (reprise, input, { onAccepted, id: _, ...options }) =>
      reprise.inbox.answer(input, { ...options, ...(onAccepted && { onAnswered: onAccepted }) }),
    long: { shownBy: "inbox.show", chosen: false },
    signed: true,
  }),
];

const access: Route[] = [
  route({
    name: "tokens.list",
    method: "GET",
    path: "/v1/tokens",
    about: "List the tokens with their names and roles, oldest first.",
    role: "operator",
    input: empty,
    output: () => z.array(tokens.tokenSchema()),
    ask: () => ({}),
    call: (reprise) => reprise.tokens.list(),
  }),
  route({
    name: "tokens.create",
    method: "POST",
    path: "/v1/tokens",
    about: "Create a token. Its text is shown only once.",
    input: tokens.createTokenSchema,
    output: tokens.newTokenSchema,
    ask: (token: object) => token,
    call: (reprise, input) => reprise.tokens.create(input),
    signed: true,
    shownOnce: true,
  }),
  route({
    name: "tokens.rotate",
    method: "POST",
    path: "/v1/tokens/{name}/rotate",
    about: "Replace a token by a new one with the same name and role. Its text is shown only once.",
    input: tokens.rotateTokenSchema,
    output: tokens.newTokenSchema,
    ask: (rotate: object) => rotate,
    call: (reprise, input) => reprise.tokens.rotate(input),
    signed: true,
    shownOnce: true,
  }),
  route({
    name: "tokens.revoke",
    method: "DELETE",
    path: "/v1/tokens/{name}",
    about: "Revoke a token and end its open requests.",
    input: () => z.strictObject({ name: z.string().min(1), by: actorName().optional() }),
    output: tokens.tokenSchema,
    ask: (name: string, options: object = {}) => ({ name, ...options }),
    call: (reprise, { name, by }) => reprise.tokens.revoke(name, given({ by })),
    signed: true,
  }),
];

const protection: Route[] = [
  route({
    name: "protect.set",
    method: "POST",
    path: "/v1/protect",
    about: "Turn the regular scans for sessions that Reprise did not start on or off.",
    input: protect.setProtectSchema,
    output: protect.protectStatusSchema,
    ask: (set: object) => set,
    call: (reprise, input) => reprise.protect.set(input),
    signed: true,
  }),
  route({
    name: "protect.status",
    method: "GET",
    path: "/v1/protect",
    about: "Count the sessions that are kept though Reprise did not start them, by home.",
    input: empty,
    output: protect.protectStatusSchema,
    ask: () => ({}),
    call: (reprise) => reprise.protect.status(),
  }),
  route({
    name: "protect.scan",
    method: "POST",
    path: "/v1/protect/scan",
    about: "Read the sessions in the homes of the agents' programs that changed, and keep them.",
    input: protect.scanSchema,
    output: protect.scanReportSchema,
    ask: (scan: object = {}) => scan,
    call: (reprise, input) => reprise.protect.scan(given(input)),
  }),
  route({
    name: "protect.list",
    method: "GET",
    path: "/v1/protect/sessions",
    about: "List kept sessions: those that expire next, or with `gone=true` those that are gone.",
    // They quote what was asked.
    role: "operator",
    input: () => z.strictObject({ gone: flag().optional(), limit: pageLimit().optional() }),
    output: () => z.array(protect.keptSessionSchema()),
    ask: (query: object = {}) => query,
    call: (reprise, input) => reprise.protect.list(given(input)),
  }),
  route({
    name: "protect.restore",
    method: "POST",
    path: "/v1/protect/sessions/{id}/restore",
    about: "Write the files of a kept session back to where they were.",
    input: protect.restoreKeptSchema,
    output: protect.restoredSessionSchema,
    ask: (restore: object) => restore,
    call: (reprise, input) => reprise.protect.restore(input),
    signed: true,
  }),
  route({
    name: "protect.forget",
    method: "DELETE",
    path: "/v1/protect/sessions/{id}",
    about: "Remove the copy of a kept session.",
    input: () =>
      z.strictObject({
        id: z.string().min(1),
        provider: z.string().min(1).optional(),
        by: actorName().optional(),
      }),
    output: protect.keptSessionSchema,
    ask: (id: string, options: object = {}) => ({ id, ...options }),
    call: (reprise, { id, ...options }) => reprise.protect.forget(id, given(options)),
    signed: true,
  }),
];

const home: Route[] = [
  route({
    name: "doctor",
    method: "GET",
    path: "/v1/doctor",
    about: "Check the home, the database and the agents' programs.",
    input: empty,
    output: schemas.doctorSchema,
    ask: () => ({}),
    call: (reprise) => reprise.doctor(),
  }),
  route({
    name: "providers",
    method: "GET",
    path: "/v1/providers",
    about: "The kinds of agents that the server can drive, with their abilities and settings.",
    input: empty,
    output: () => z.array(schemas.providerSchema()),
    ask: () => ({}),
    call: (reprise) => reprise.providers(),
  }),
  route({
    name: "config",
    method: "GET",
    path: "/v1/config",
    about: "List every setting with its value and where the value comes from.",
    input: empty,
    output: () => z.array(schemas.settingSchema()),
    ask: () => ({}),
    call: (reprise) => reprise.config(),
  }),
  route({
    name: "limits",
    method: "GET",
    path: "/v1/limits",
    about: "List the accounts whose limit is used up.",
    input: empty,
    output: () => z.array(schemas.limitSchema()),
    ask: () => ({}),
    call: (reprise) => reprise.limits(),
  }),
  route({
    name: "usage",
    method: "GET",
    path: "/v1/usage",
    about: "Report what sessions used, and what resuming saved.",
    input: () =>
      z.strictObject({
        key: schemas.keySchema().optional(),
        agent: schemas.agentNameSchema().optional(),
        since: z.coerce.number().int().optional(),
        limit: pageLimit().optional(),
      }),
    output: schemas.usageReportSchema,
    ask: (query: object = {}) => query,
    call: (reprise, input) => reprise.usage(given(input)),
  }),
  route({
    name: "backup",
    method: "POST",
    path: "/v1/backup",
    about:
      "Write everything that is needed to continue the sessions into a new file on the server's machine.",
    input: () => z.strictObject({ file: z.string().min(1), by: actorName().optional() }),
    output: schemas.backupReportSchema,
    ask: (file: string, options: object = {}) => ({ file, ...options }),
    call: (reprise, { file, by }) => reprise.backup(file, given({ by })),
    signed: true,
  }),
];

/** Everything except what streams (`events`, `runs.events`), what carries bytes (`sessions.export`,
 * `sessions.import`) and what needs this terminal or process (`sessions.open`, `runs.recover`). */
export const routes: readonly Route[] = [
  ...agents,
  ...sessions,
  ...turns,
  ...workflows,
  ...access,
  ...protection,
  ...home,
];

/** The options of a call that drives a run. */
function runOptions({ onAccepted, id: _, ...options }: CallOptions): RunOptions & StartOptions {
  return { ...options, ...(onAccepted && { onStarted: onAccepted }) };
}

/** Without undefined values. */
function given<Input extends object>(
  input: Input,
): { [Name in keyof Input]: NonNullable<Input[Name]> } {
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  ) as never;
}
