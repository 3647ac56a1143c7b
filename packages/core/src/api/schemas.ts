/**
 * The schemas that check inputs and outputs of the API. The interfaces beside them say what the fields mean. Each is
 * made when it is first asked for: a command uses few of them, and would take 10 ms longer to make all.
 */

import { z } from "zod";
import { accessLevels, isPlainCommand, onDeniedChoices } from "../session/access.ts";
import { guardNames } from "../session/decision.ts";
import { isSessionKey, keyGrammar } from "../session/key.ts";
import { runModes, surfaces } from "../session/policy.ts";
import { busyPolicies, turnStatuses } from "../session/turn.ts";
import { once } from "./parse.ts";

export const maxPromptBytes = 8 * 1024 * 1024;

/** The pattern is for readers of the JSON Schema, the refinement for the type. */
export const keySchema = once(() =>
  z.string().regex(keyGrammar, "is not a session key").refine(isSessionKey, { abort: true }),
);
export const agentNameSchema = once(() =>
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "is not an agent name"),
);

export const errorSchema = once(() =>
  z.object({
    code: z.string(),
    message: z.string(),
    hint: z.string(),
    resetAt: z.number().optional(),
    by: z.string().optional(),
  }),
);
export const noticeSchema = once(() =>
  z.object({
    code: z.string(),
    text: z.string(),
    detail: z.string().optional(),
  }),
);
export const limitSchema = once(() =>
  z.object({
    provider: z.string(),
    agent: z.string(),
    turn: z.string(),
    until: z.number(),
    foundAt: z.number(),
    waiting: z.number(),
  }),
);

export const usageSchema = once(() =>
  z.object({
    cachedRead: z.number().nullable(),
    cachedWrite: z.number().nullable(),
    uncached: z.number().nullable(),
    output: z.number().nullable(),
  }),
);
export const verdictSchema = once(() =>
  z.object({
    guard: z.enum(guardNames),
    passed: z.boolean(),
    held: z.boolean().meta({ deprecated: true, description: "The earlier name of `passed`." }),
    stored: z.string(),
    current: z.string(),
  }),
);
const speakerSchema = once(() => z.object({ agent: z.string(), provider: z.string().nullable() }));

export const decisionSchema = once(() =>
  z.object({
    outcome: z.enum(["resume", "reseed", "blank", "refuse"]),
    reason: z.string(),
    verdicts: z.array(verdictSchema()),
    surface: z.enum(surfaces),
    mode: z.string(),
    startupPrompt: z.enum(["send_intro", "skip_intro"]),
    runFolder: z.enum(["run", "source"]),
    notices: z.array(noticeSchema()),
    handle: z.object({ id: z.string(), place: z.string() }).optional(),
    prepare: z.array(z.string()).optional(),
    catchUp: z.number().optional(),
    compact: z.object({ focus: z.string().nullable() }).optional(),
    cutOff: z.boolean().optional(),
    instruct: z.boolean().optional(),
    instructionsChanged: z.boolean().optional(),
    keepsUnconfirmed: z.boolean().optional(),
    takeover: z.object({ by: speakerSchema(), from: speakerSchema() }).optional(),
    quota: z
      .object({
        action: z.enum(["wait", "switch"]),
        until: z.number(),
        agent: z.string().optional(),
      })
      .optional(),
    error: errorSchema().optional(),
  }),
);

const denialSchema = once(() =>
  z.object({
    tool: z.string(),
    detail: z.string().nullable(),
  }),
);

export const attemptSchema = once(() =>
  z.object({
    number: z.number(),
    decision: decisionSchema(),
    argv: z.array(z.string()).nullable(),
    handle: z.string().nullable(),
    exit: z.string().nullable(),
    ending: z.string().nullable(),
    error: errorSchema().nullable(),
    usage: usageSchema().nullable(),
    tools: z.boolean(),
    denied: z.array(denialSchema()),
    startedAt: z.number(),
    endedAt: z.number().nullable(),
  }),
);

const agentKindSchema = once(() => z.enum(["interactive", "background"]));
/** What an agent may do: look (`read`), change files in its work folder (`edit`), or everything (`full`). */
export const accessSchema = once(() => z.enum(accessLevels));
/** Exactly as they are run; one with a shell operator would never match. */
export const allowedCommandsSchema = once(() =>
  z.array(
    z
      .string()
      .trim()
      .min(1)
      .refine(isPlainCommand, {
        error: ({ input }) => `is ${JSON.stringify(input)}, which has a shell operator`,
      }),
  ),
);
/** Beside the notice that there always is: nothing, the turn fails, or a person is asked. */
export const onDeniedSchema = once(() => z.enum(onDeniedChoices));
export const createClassSchema = once(() =>
  z.strictObject({
    name: agentNameSchema(),
    provider: z.string().min(1),
    kind: agentKindSchema().default("interactive"),
    model: z.string().min(1).nullish(),
    folder: z.string().min(1).nullish(),
    access: accessSchema().nullish(),
    allowedCommands: allowedCommandsSchema().nullish(),
    onDenied: onDeniedSchema().nullish(),
    settings: z.record(z.string(), z.string()).default({}),
    by: z.string().min(1).nullish(),
  }),
);
export const createAgentSchema = once(() =>
  z.strictObject({
    name: agentNameSchema(),
    provider: z.string().min(1).nullish(),
    class: agentNameSchema().nullish(),
    kind: agentKindSchema().nullish(),
    model: z.string().min(1).nullish(),
    folder: z.string().min(1).nullish(),
    sessions: z.enum(["default", "resume", "fresh"]).default("default"),
    access: accessSchema().nullish(),
    allowedCommands: allowedCommandsSchema().nullish(),
    onDenied: onDeniedSchema().nullish(),
    settings: z.record(z.string(), z.string()).default({}),
    by: z.string().min(1).nullish(),
  }),
);
/** What is not named stays as it is. */
export const setClassSchema = once(() =>
  z.strictObject({
    name: agentNameSchema(),
    kind: agentKindSchema().optional(),
    model: z.string().min(1).nullish(),
    folder: z.string().min(1).nullish(),
    access: accessSchema().optional(),
    allowedCommands: allowedCommandsSchema().optional(),
    onDenied: onDeniedSchema().optional(),
    settings: z.record(z.string(), z.string().nullable()).default({}),
    by: z.string().min(1).nullish(),
  }),
);
export const setAgentSchema = once(() =>
  setClassSchema().extend({
    sessions: z.enum(["default", "resume", "fresh"]).optional(),
  }),
);
export const agentClassSchema = once(() =>
  z.object({
    name: z.string(),
    kind: agentKindSchema(),
    provider: z.string(),
    model: z.string().nullable(),
    folder: z.string().nullable(),
    settings: z.record(z.string(), z.string()),
    access: accessSchema(),
    allowedCommands: z.array(z.string()),
    onDenied: onDeniedSchema(),
    createdAt: z.number(),
  }),
);
export const agentSchema = once(() =>
  agentClassSchema().extend({
    class: z.string().nullable(),
    sessions: z.enum(["default", "resume", "fresh"]),
  }),
);

/** An agent that was changed, and what that does not change. */
export const changedAgentSchema = once(() =>
  agentSchema().extend({ notices: z.array(noticeSchema()) }),
);

export const listProviderSessionsSchema = once(() =>
  z.strictObject({
    agent: agentNameSchema(),
    folder: z.string().min(1).nullish(),
    limit: z.number().int().positive().max(1000).default(20),
  }),
);

export const providerSessionSchema = once(() =>
  z.object({
    id: z.string(),
    provider: z.string(),
    folder: z.string().nullable(),
    prompt: z.string(),
    usedAt: z.number(),
    key: z.string().nullable(),
  }),
);

export const sendSchema = once(() =>
  z.strictObject({
    key: keySchema(),
    prompt: z.string().min(1),
    agent: agentNameSchema().nullish(),
    surface: z.enum(surfaces).default("direct"),
    mode: z.enum(runModes).nullish(),
    continuity: z.enum(["resume", "reseed", "blank"]).nullish(),
    busy: z.enum(busyPolicies).nullish(),
    folder: z.string().min(1).nullish(),
    cwd: z.string().min(1).nullish(),
    model: z.string().min(1).nullish(),
    now: z.boolean().nullish(),
    instructions: z.string().min(1).nullish(),
    channel: z.string().min(1).nullish(),
    timeout: z.number().int().positive().nullish(),
    within: z.string().min(1).nullish(),
    by: z.string().min(1).nullish(),
    access: accessSchema().nullish(),
    allowedCommands: allowedCommandsSchema().nullish(),
    onDenied: onDeniedSchema().nullish(),
  }),
);
export const explainSchema = once(() =>
  sendSchema().omit({
    prompt: true,
    within: true,
    by: true,
    busy: true,
    timeout: true,
    channel: true,
    instructions: true,
    access: true,
    allowedCommands: true,
    onDenied: true,
  }),
);

export const finishSchema = once(() =>
  z.strictObject({
    key: keySchema(),
    busy: z.enum(busyPolicies).nullish(),
    timeout: z.number().int().positive().nullish(),
    within: z.string().min(1).nullish(),
    by: z.string().min(1).nullish(),
  }),
);

export const answerSchema = once(() =>
  z.strictObject({
    turn: z.string().min(1),
    text: z.string().min(1).nullish(),
    answers: z.record(z.string(), z.string()).nullish(),
    choice: z.string().min(1).nullish(),
    deny: z.string().min(1).nullish(),
    comment: z.string().min(1).nullish(),
    by: z.string().min(1).nullish(),
  }),
);
export const cancelTurnSchema = once(() =>
  z.strictObject({
    turn: z.string().min(1),
    by: z.string().min(1).nullish(),
    ownerGone: z.boolean().nullish(),
  }),
);
const questionSchema = once(() =>
  z.object({
    id: z.string(),
    kind: z.enum(["question", "permission"]),
    tool: z.string(),
    input: z.unknown(),
  }),
);
export const askedSchema = once(() =>
  z.object({
    question: questionSchema(),
    lost: z.array(questionSchema()),
  }),
);

export const turnResultSchema = once(() =>
  z.object({
    turn: z.object({ id: z.string(), seq: z.number(), status: z.enum(turnStatuses) }),
    session: z.object({
      key: z.string(),
      agent: z.string(),
      provider: z.string(),
      epoch: z.number(),
    }),
    prompt: z.string(),
    decision: decisionSchema().nullable(),
    attempts: z.array(attemptSchema()),
    asked: askedSchema().nullable(),
    access: accessSchema().nullable(),
    denied: z.array(denialSchema()),
    output: z.string().nullable(),
    error: errorSchema().nullable(),
    usage: usageSchema().nullable(),
    notices: z.array(noticeSchema()),
  }),
);

export const sessionSchema = once(() =>
  z.object({
    key: z.string(),
    agent: z.string(),
    provider: z.string(),
    epoch: z.number(),
    turns: z.number(),
    handle: z.string().nullable(),
    lastOutcome: z.string().nullable(),
    lastStatus: z.string().nullable(),
    /** The status of its open turn, else of its last one. */
    status: z.string().nullable(),
    archivedAt: z.number().nullable(),
    held: z.array(z.object({ by: z.string(), reason: z.string().nullable(), at: z.number() })),
    compaction: z.object({ focus: z.string().nullable(), at: z.number() }).nullable(),
    settings: z.record(z.string(), z.union([z.string(), z.number()])),
    channel: z.string().nullable(),
    createdAt: z.number(),
    updatedAt: z.number(),
  }),
);
/** The holder of a session; `person` unless given. */
const holderSchema = once(() =>
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/, "is not a holder's name")
    .default("person"),
);
export const holdSchema = once(() =>
  z.strictObject({
    key: keySchema(),
    by: holderSchema(),
    reason: z.string().min(1).nullish(),
  }),
);
export const releaseSchema = once(() => z.strictObject({ key: keySchema(), by: holderSchema() }));
export const compactSchema = once(() =>
  z.strictObject({
    key: keySchema(),
    focus: z.string().min(1).nullish(),
  }),
);
export const setSessionSchema = once(() =>
  z.strictObject({
    key: keySchema(),
    settings: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
    by: z.string().min(1).nullish(),
  }),
);
export const pruneSchema = once(() =>
  z.strictObject({
    enforce: z.boolean().nullish(),
  }),
);
const retentionStepSchema = once(() =>
  z.object({
    key: z.string(),
    action: z.enum(["archive", "purge"]),
    reason: z.string(),
  }),
);
export const pruneReportSchema = once(() =>
  z.object({
    enforced: z.boolean(),
    steps: z.array(retentionStepSchema()),
    spared: z.array(retentionStepSchema()),
    skipped: z.array(retentionStepSchema()),
  }),
);

export const turnSummarySchema = once(() =>
  z.object({
    id: z.string(),
    seq: z.number(),
    status: z.enum(turnStatuses),
    cancelledBy: z.string().nullable(),
    agent: z.string(),
    outcome: z.string().nullable(),
    reason: z.string().nullable(),
    verdict: verdictSchema().nullable(),
    prompt: z.string(),
    output: z.string().nullable(),
    usage: usageSchema().nullable(),
    takenBack: z.boolean(),
    openedAt: z.number(),
    endedAt: z.number().nullable(),
  }),
);
export const sessionDetailSchema = once(() =>
  sessionSchema().extend({
    pins: z.array(
      z.object({
        agent: z.string(),
        handle: z.string(),
        folder: z.string(),
        model: z.string().nullable(),
        confirmedAt: z.number(),
      }),
    ),
    recent: z.array(turnSummarySchema()),
  }),
);

export const explanationSchema = once(() =>
  z.object({
    key: z.string(),
    agent: z.string(),
    provider: z.string(),
    decision: decisionSchema(),
    heldBy: z
      .object({ turn: z.string(), status: z.string(), pid: z.number().nullable() })
      .nullable(),
  }),
);

export const verificationSchema = once(() =>
  z.object({
    key: z.string(),
    agent: z.string(),
    provider: z.string(),
    handle: z.string().nullable(),
    history: z.string(),
    checkpoint: z.string(),
    checkpoints: z.object({
      kept: z.number(),
      whole: z.number(),
      parts: z.number(),
      damagedParts: z.number(),
    }),
    transcript: z.object({ messages: z.number(), given: z.number(), altered: z.number() }),
    sound: z.boolean(),
    findings: z.array(z.string()),
  }),
);

export const findingSchema = once(() =>
  z.object({
    subject: z.string(),
    state: z.enum(["ok", "warning", "problem"]),
    text: z.string(),
    hint: z.string().nullable(),
  }),
);
/** Whether the home can take work now, and if not, why. */
export const readinessSchema = once(() =>
  z.object({
    ready: z.boolean(),
    reasons: z.array(z.object({ code: z.string(), text: z.string(), hint: z.string() })),
  }),
);
export const doctorSchema = once(() =>
  z.object({ ok: z.boolean(), findings: z.array(findingSchema()) }),
);

/** A kind of agent, as the manifest of its provider describes it. */
export const providerSchema = once(() =>
  z.object({
    name: z.string(),
    title: z.string(),
    runners: z.array(z.string()),
    abilities: z.array(z.string()),
    settings: z.record(z.string(), z.unknown()),
    access: z.object({
      levels: z.object({
        read: z.string().optional(),
        edit: z.string().optional(),
        full: z.string().optional(),
      }),
      limits: z.array(z.string()),
      asks: z.boolean(),
    }),
    checkpoint: z.enum(["file", "export", "state", "none"]),
    program: z.object({ product: z.string(), tested: z.array(z.string()), install: z.string() }),
    builtIn: z.boolean(),
  }),
);

export const settingSchema = once(() =>
  z.object({
    name: z.string(),
    value: z.unknown(),
    origin: z.string(),
    about: z.string(),
    scopes: z.array(z.enum(["user", "project", "session"])),
  }),
);

export const usageQuerySchema = once(() =>
  z.strictObject({
    key: keySchema().nullish(),
    agent: agentNameSchema().nullish(),
    since: z.number().int().nullish(),
    limit: z.number().int().positive().default(100),
  }),
);
export const amountSchema = once(() =>
  z.object({
    tokens: z.number().nullable(),
    known: z.enum(["measured", "estimated", "unreported"]),
  }),
);
export const usageFiguresSchema = once(() =>
  z.object({
    turns: z.number(),
    outcomes: z.object({
      resume: z.number(),
      reseed: z.number(),
      blank: z.number(),
      refuse: z.number(),
    }),
    unreportedTurns: z.number(),
    cachedRead: amountSchema(),
    cachedWrite: amountSchema(),
    uncached: amountSchema(),
    output: amountSchema(),
    reseed: amountSchema(),
    saved: amountSchema(),
  }),
);
export const usageReportSchema = once(() =>
  z.object({
    since: z.number().nullable(),
    sessions: z.array(
      usageFiguresSchema().extend({ key: z.string(), agent: z.string(), provider: z.string() }),
    ),
    turns: z
      .array(
        usageFiguresSchema().extend({
          id: z.string(),
          seq: z.number(),
          agent: z.string(),
          provider: z.string(),
        }),
      )
      .nullable(),
    total: usageFiguresSchema(),
  }),
);

export const backupReportSchema = once(() =>
  z.object({
    file: z.string(),
    madeAt: z.number(),
    schema: z.number(),
    sessions: z.number(),
    turns: z.number(),
    bytes: z.number(),
  }),
);
export const restoreReportSchema = once(() =>
  backupReportSchema()
    .omit({ bytes: true })
    .extend({
      home: z.string(),
      interrupted: z.number(),
      keptAside: z.string().nullable(),
      tokens: z.array(z.object({ name: z.string(), role: z.string(), kept: z.boolean() })),
      webhooks: z.array(
        z.object({ id: z.string(), url: z.string().nullable(), kept: z.boolean() }),
      ),
      programs: z.array(z.object({ name: z.string(), settings: z.record(z.string(), z.string()) })),
    }),
);

export const eventSchema = once(() =>
  z.object({
    seq: z.number(),
    stream: z.string(),
    streamSeq: z.number(),
    type: z.string(),
    data: z.unknown(),
    at: z.number(),
  }),
);
