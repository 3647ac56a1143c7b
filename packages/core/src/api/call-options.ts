/** The options and queries of Reprise's methods, apart from their input, which schemas check. */

import type { OptionKinds } from "./options.ts";
import type {
  AnswerOptions,
  CancelTurn,
  LookOptions,
  Reprise,
  RunOptions,
  SendOptions,
  SessionFilter,
  StartOptions,
} from "./reprise.ts";

type Query<Method extends (...args: never[]) => unknown> = NonNullable<Parameters<Method>[0]>;

const send: OptionKinds<SendOptions> = {
  signal: "signal",
  leave: "signal",
  id: "string",
  onOpened: "function",
  onProgress: "function",
};
const { id: _, ...answer } = send;
const run: OptionKinds<RunOptions> = { signal: "signal", leave: "signal" };
const start: OptionKinds<RunOptions & StartOptions> = { ...run, onStarted: "function" };
const by: OptionKinds<NonNullable<Parameters<Reprise["backup"]>[1]>> = { by: "string" };
const look: OptionKinds<LookOptions> = { mayRun: "boolean" };
const sessionFilter: OptionKinds<SessionFilter> = {
  agent: "string",
  q: "string",
  status: "string",
  folder: "string",
  since: "number",
  ofRuns: "boolean",
};
const page = { after: "string", limit: "number" } as const;

/** The position of the options among a method's arguments, and their kinds. */
export const callOptions: Readonly<
  Record<string, { readonly at: number; readonly known: OptionKinds<object> }>
> = {
  "sessions.send": { at: 1, known: send },
  "sessions.finish": { at: 1, known: send },
  "sessions.list": {
    at: 0,
    known: { ...sessionFilter, order: "string", ...page } satisfies OptionKinds<
      Query<Reprise["sessions"]["list"]>
    >,
  },
  "sessions.count": { at: 0, known: sessionFilter },
  "sessions.explain": { at: 1, known: look },
  "sessions.purge": {
    at: 1,
    known: { force: "boolean", by: "string" } satisfies OptionKinds<
      NonNullable<Parameters<Reprise["sessions"]["purge"]>[1]>
    >,
  },
  "sessions.archive": { at: 1, known: by },
  "sessions.revive": { at: 1, known: by },
  "sessions.open": {
    at: 1,
    known: { signal: "signal", onProgress: "function" } satisfies OptionKinds<
      NonNullable<Parameters<Reprise["sessions"]["open"]>[1]>
    >,
  },
  "turns.list": {
    at: 0,
    known: { key: "string", ...page } satisfies OptionKinds<Query<Reprise["turns"]["list"]>>,
  },
  "turns.answer": { at: 1, known: answer },
  "turns.cancel": {
    at: 1,
    known: { by: "string", ownerGone: "boolean" } satisfies OptionKinds<CancelTurn>,
  },
  "runs.start": { at: 1, known: start },
  "runs.plan": { at: 1, known: look },
  "runs.list": {
    at: 0,
    known: { status: "string", workflow: "string", ...page } satisfies OptionKinds<
      Query<Reprise["runs"]["list"]>
    >,
  },
  "runs.count": {
    at: 0,
    known: { status: "string", workflow: "string" } satisfies OptionKinds<
      Query<Reprise["runs"]["count"]>
    >,
  },
  "runs.events": {
    at: 1,
    known: { after: "number", follow: "boolean", signal: "signal" } satisfies OptionKinds<
      NonNullable<Parameters<Reprise["runs"]["events"]>[1]>
    >,
  },
  "runs.rerun": { at: 1, known: start },
  "runs.continue": { at: 1, known: start },
  "runs.carryOn": { at: 1, known: start },
  "runs.recover": { at: 0, known: run },
  "inbox.list": {
    at: 0,
    known: { run: "string", all: "boolean", ...page } satisfies OptionKinds<
      Query<Reprise["inbox"]["list"]>
    >,
  },
  "inbox.count": {
    at: 0,
    known: { run: "string", all: "boolean" } satisfies OptionKinds<
      Query<Reprise["inbox"]["count"]>
    >,
  },
  "inbox.answer": {
    at: 1,
    known: {
      ...run,
      continue: "boolean",
      carry: "boolean",
      onAnswered: "function",
    } satisfies OptionKinds<RunOptions & AnswerOptions>,
  },
  "tokens.revoke": { at: 1, known: by },
  "protect.list": {
    at: 0,
    known: { gone: "boolean", limit: "number" } satisfies OptionKinds<
      Query<Reprise["protect"]["list"]>
    >,
  },
  "protect.forget": {
    at: 1,
    known: { provider: "string", by: "string" } satisfies OptionKinds<
      NonNullable<Parameters<Reprise["protect"]["forget"]>[1]>
    >,
  },
  backup: { at: 1, known: by },
  events: {
    at: 0,
    known: { after: "number", signal: "signal" } satisfies OptionKinds<Query<Reprise["events"]>>,
  },
};
