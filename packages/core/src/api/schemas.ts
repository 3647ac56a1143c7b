/** The schemas of everything that goes into and comes out of Reprise, one for each word of the API. */

import { z } from "zod";
import { accessLevels, isPlainCommand, onDeniedChoices } from "../session/access.ts";
import { guardNames } from "../session/decision.ts";
import { isSessionKey, keyGrammar } from "../session/key.ts";
import { runModes, surfaces } from "../session/policy.ts";
import { busyPolicies, turnStatuses } from "../session/turn.ts";

export const maxPromptBytes = 8 * 1024 * 1024;

/** The grammar is for whoever reads the schema, the guard for the type. */
export const keySchema = z
  .string()
  .regex(keyGrammar, "is not a session key")
  .refine(isSessionKey, { abort: true });
export const agentNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "is not an agent name");

export const errorSchema = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string(),
  /** Of a limit: when it is reset, in milliseconds since 1970. */
  resetAt: z.number().optional(),
  /** Of a cancelled turn: who cancelled it, where that is known. */
  by: z.string().optional(),
});
export const noticeSchema = z.object({ code: z.string(), text: z.string() });
export const usageSchema = z.object({
  /** A kind that the provider does not report is null. */
  cachedRead: z.number().nullable(),
  cachedWrite: z.number().nullable(),
  uncached: z.number().nullable(),
  output: z.number().nullable(),
});
export const verdictSchema = z.object({
  guard: z.enum(guardNames),
  passed: z.boolean(),
  held: z.boolean().meta({ deprecated: true, description: "The earlier name of `passed`." }),
  stored: z.string(),
  current: z.string(),
});
export const decisionSchema = z.object({
  outcome: z.enum(["resume", "reseed", "blank", "refuse"]),
  reason: z.string(),
  verdicts: z.array(verdictSchema),
  surface: z.enum(surfaces),
  mode: z.string(),
  startupPrompt: z.enum(["send_intro", "skip_intro"]),
  runFolder: z.enum(["run", "source"]),
  notices: z.array(noticeSchema),
  handle: z.object({ id: z.string(), place: z.string() }).optional(),
  prepare: z.array(z.string()).optional(),
  catchUp: z.number().optional(),
  /** Of a resume: its own program compacts the session first. Of a reseed: the transcript is sent in short. */
  compact: z.object({ focus: z.string().nullable() }).optional(),
  /** The turn before was cut off, and the agent is told so. */
  cutOff: z.boolean().optional(),
  /** The agent is told its instructions again. */
  instruct: z.boolean().optional(),
  error: errorSchema.optional(),
});

const denialSchema = z.object({
  tool: z.string(),
  /** The command, the path or the pattern, where it is known. */
  detail: z.string().nullable(),
});

export const attemptSchema = z.object({
  number: z.number(),
  decision: decisionSchema,
  argv: z.array(z.string()).nullable(),
  handle: z.string().nullable(),
  exit: z.string().nullable(),
  ending: z.string().nullable(),
  error: errorSchema.nullable(),
  usage: usageSchema.nullable(),
  tools: z.boolean(),
  denied: z.array(denialSchema),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
});

const agentKindSchema = z.enum(["interactive", "background"]);
/** What an agent may do: look (`read`), change files in its work folder (`edit`), or everything (`full`). */
export const accessSchema = z.enum(accessLevels);
/** Exactly as they are run; one with a shell operator would never match. */
export const allowedCommandsSchema = z.array(
  z
    .string()
    .trim()
    .min(1)
    .refine(isPlainCommand, {
      error: ({ input }) => `is ${JSON.stringify(input)}, which has a shell operator`,
    }),
);
/** Beside the notice that there always is: nothing, the turn fails, or a person is asked. */
export const onDeniedSchema = z.enum(onDeniedChoices);
export const createClassSchema = z.strictObject({
  name: agentNameSchema,
  provider: z.string().min(1),
  kind: agentKindSchema.default("interactive"),
  model: z.string().min(1).nullish(),
  folder: z.string().min(1).nullish(),
  /** `edit` when it is not given; never above the setting `maxAccess`. */
  access: accessSchema.nullish(),
  allowedCommands: allowedCommandsSchema.nullish(),
  onDenied: onDeniedSchema.nullish(),
  settings: z.record(z.string(), z.string()).default({}),
});
export const createAgentSchema = z.strictObject({
  name: agentNameSchema,
  /** Needed unless a class says it. */
  provider: z.string().min(1).nullish(),
  /** A class whose definition it begins with; what is given beside it comes first. */
  class: agentNameSchema.nullish(),
  kind: agentKindSchema.nullish(),
  model: z.string().min(1).nullish(),
  folder: z.string().min(1).nullish(),
  sessions: z.enum(["default", "resume", "fresh"]).default("default"),
  /** The class's when it is not given, else `edit`. */
  access: accessSchema.nullish(),
  allowedCommands: allowedCommandsSchema.nullish(),
  onDenied: onDeniedSchema.nullish(),
  settings: z.record(z.string(), z.string()).default({}),
});
/** What is not named stays as it is. */
export const setClassSchema = z.strictObject({
  name: agentNameSchema,
  kind: agentKindSchema.optional(),
  /** null: the provider's default. */
  model: z.string().min(1).nullish(),
  /** null: where a turn is sent. */
  folder: z.string().min(1).nullish(),
  access: accessSchema.optional(),
  /** All of them: an empty list takes them away. */
  allowedCommands: allowedCommandsSchema.optional(),
  onDenied: onDeniedSchema.optional(),
  /** null takes a setting away. */
  settings: z.record(z.string(), z.string().nullable()).default({}),
});
export const setAgentSchema = setClassSchema.extend({
  sessions: z.enum(["default", "resume", "fresh"]).optional(),
});
export const agentClassSchema = z.object({
  name: z.string(),
  kind: agentKindSchema,
  provider: z.string(),
  model: z.string().nullable(),
  folder: z.string().nullable(),
  settings: z.record(z.string(), z.string()),
  /** What it may do in effect: provider settings that give more than its own word count. */
  access: accessSchema,
  allowedCommands: z.array(z.string()),
  onDenied: onDeniedSchema,
  createdAt: z.number(),
});
export const agentSchema = agentClassSchema.extend({
  class: z.string().nullable(),
  sessions: z.enum(["default", "resume", "fresh"]),
});

/** An agent that was changed, and what that does not change. */
export const changedAgentSchema = agentSchema.extend({ notices: z.array(noticeSchema) });

export const sendSchema = z.strictObject({
  key: keySchema,
  prompt: z.string().min(1),
  /** Needed for a new key; otherwise the agent of the last turn. */
  agent: agentNameSchema.nullish(),
  surface: z.enum(surfaces).default("direct"),
  mode: z.enum(runModes).nullish(),
  continuity: z.enum(["resume", "reseed", "blank"]).nullish(),
  busy: z.enum(busyPolicies).nullish(),
  /** Folder to work in; without it the session stays in its folder. */
  folder: z.string().min(1).nullish(),
  /** The caller's current folder: a new session works there when neither the call nor its agent names one. */
  cwd: z.string().min(1).nullish(),
  model: z.string().min(1).nullish(),
  instructions: z.string().min(1).nullish(),
  channel: z.string().min(1).nullish(),
  /** Milliseconds. */
  timeout: z.number().int().positive().nullish(),
  /** The turn that it is sent inside of, by its agent or what that started: it does not wait for a free agent. */
  within: z.string().min(1).nullish(),
  /** What the agent may do in this turn alone, whatever it may do otherwise. */
  access: accessSchema.nullish(),
  /** Commands that it may run in this turn beside its own. */
  allowedCommands: allowedCommandsSchema.nullish(),
  onDenied: onDeniedSchema.nullish(),
});
export const explainSchema = sendSchema.omit({
  prompt: true,
  within: true,
  busy: true,
  timeout: true,
  channel: true,
  instructions: true,
  access: true,
  allowedCommands: true,
  onDenied: true,
});

export const finishSchema = z.strictObject({
  key: keySchema,
  busy: z.enum(busyPolicies).nullish(),
  /** Milliseconds. */
  timeout: z.number().int().positive().nullish(),
  /** As of `send`. */
  within: z.string().min(1).nullish(),
});

export const answerSchema = z.strictObject({
  /** The turn that waits: its id, the beginning of one, or its session's key. */
  turn: z.string().min(1),
  /** Answers a single question. */
  text: z.string().min(1).nullish(),
  /** From the text of each question to its answer. */
  answers: z.record(z.string(), z.string()).nullish(),
  /** Of a permission: `allow` or `deny`; nothing else allows it. */
  choice: z.string().min(1).nullish(),
  /** Denies a permission, or refuses to answer, and says why. */
  deny: z.string().min(1).nullish(),
  /** What the agent is told beside the answer; of a denial, its reason. */
  comment: z.string().min(1).nullish(),
  /** Who answers. */
  by: z.string().min(1).nullish(),
});
export const cancelTurnSchema = z.strictObject({
  /** Its id, the beginning of one, or its session's key: then the last turn. */
  turn: z.string().min(1),
  /** Who cancels it. */
  by: z.string().min(1).nullish(),
  /** A person's word that its owner is gone, where Reprise cannot see it; the turn is then `interrupted`. */
  ownerGone: z.boolean().nullish(),
});
const questionSchema = z.object({
  id: z.string(),
  kind: z.enum(["question", "permission"]),
  tool: z.string(),
  input: z.unknown(),
});
export const askedSchema = z.object({
  question: questionSchema,
  /** Asked at the same time and dropped by the provider; the agent is told so with the answer. */
  lost: z.array(questionSchema),
});

export const turnResultSchema = z.object({
  turn: z.object({ id: z.string(), seq: z.number(), status: z.enum(turnStatuses) }),
  session: z.object({
    key: z.string(),
    agent: z.string(),
    provider: z.string(),
    epoch: z.number(),
  }),
  prompt: z.string(),
  /** Of the last attempt; null while none was made. */
  decision: decisionSchema.nullable(),
  attempts: z.array(attemptSchema),
  /** What a waiting turn waits for. */
  asked: askedSchema.nullable(),
  /** What the agent was allowed to do; null while nothing was launched. */
  access: accessSchema.nullable(),
  /** What it wanted to do and was not let do. */
  denied: z.array(denialSchema),
  output: z.string().nullable(),
  error: errorSchema.nullable(),
  usage: usageSchema.nullable(),
  notices: z.array(noticeSchema),
});

export const sessionSchema = z.object({
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
  /** That its next new provider session shall begin with a summary. */
  compaction: z.object({ focus: z.string().nullable(), at: z.number() }).nullable(),
  /** Its own settings, as a person would write them. */
  settings: z.record(z.string(), z.union([z.string(), z.number()])),
  channel: z.string().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
/** Who holds a session when nobody is named. */
const holderSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/, "is not a holder's name")
  .default("person");
export const holdSchema = z.strictObject({
  key: keySchema,
  by: holderSchema,
  reason: z.string().min(1).nullish(),
});
export const releaseSchema = z.strictObject({ key: keySchema, by: holderSchema });
export const compactSchema = z.strictObject({
  key: keySchema,
  /** What matters most in what follows. */
  focus: z.string().min(1).nullish(),
});
export const setSessionSchema = z.strictObject({
  key: keySchema,
  /** null takes the session's own value away. */
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
export const pruneSchema = z.strictObject({
  /** As the setting `prune.mode` says when it is not given. */
  enforce: z.boolean().nullish(),
});
const retentionStepSchema = z.object({
  key: z.string(),
  action: z.enum(["archive", "purge"]),
  reason: z.string(),
});
export const pruneReportSchema = z.object({
  enforced: z.boolean(),
  /** What was done, or would be. */
  steps: z.array(retentionStepSchema),
  /** Due as well, but held or in use. */
  spared: z.array(retentionStepSchema),
  /** Used, held or changed since it was looked at, and so left alone. */
  skipped: z.array(retentionStepSchema),
});

export const turnSummarySchema = z.object({
  id: z.string(),
  seq: z.number(),
  status: z.enum(turnStatuses),
  /** Of a cancelled turn, where it is known. */
  cancelledBy: z.string().nullable(),
  agent: z.string(),
  outcome: z.string().nullable(),
  reason: z.string().nullable(),
  /** The guard that `reason` names, with its two values. */
  verdict: verdictSchema.nullable(),
  prompt: z.string(),
  output: z.string().nullable(),
  usage: usageSchema.nullable(),
  /** A person went back to before it in the provider's own program. */
  takenBack: z.boolean(),
  openedAt: z.number(),
  endedAt: z.number().nullable(),
});
export const sessionDetailSchema = sessionSchema.extend({
  pins: z.array(
    z.object({
      agent: z.string(),
      handle: z.string(),
      folder: z.string(),
      model: z.string().nullable(),
      confirmedAt: z.number(),
    }),
  ),
  recent: z.array(turnSummarySchema),
});

export const explanationSchema = z.object({
  key: z.string(),
  agent: z.string(),
  provider: z.string(),
  decision: decisionSchema,
  /** The turn that has the session now, if any. */
  heldBy: z.object({ turn: z.string(), status: z.string(), pid: z.number().nullable() }).nullable(),
});

export const verificationSchema = z.object({
  key: z.string(),
  agent: z.string(),
  provider: z.string(),
  handle: z.string().nullable(),
  /** `same`, `advanced`, `restorable`, `lost`…; `none` when there is no pin. */
  history: z.string(),
  /** `whole`, `none`, `damaged`, `newer` or `foreign`: the newest one. */
  checkpoint: z.string(),
  /** All that are kept: how many there are, how many could be put back, and the parts they are made of. */
  checkpoints: z.object({
    kept: z.number(),
    whole: z.number(),
    parts: z.number(),
    damagedParts: z.number(),
  }),
  /** `altered`: messages whose text is not the one that was recorded. */
  transcript: z.object({ messages: z.number(), given: z.number(), altered: z.number() }),
  sound: z.boolean(),
  findings: z.array(z.string()),
});

export const findingSchema = z.object({
  subject: z.string(),
  state: z.enum(["ok", "warning", "problem"]),
  text: z.string(),
  hint: z.string().nullable(),
});
/** Whether the home can take work now, and if not, why. */
export const readinessSchema = z.object({
  ready: z.boolean(),
  reasons: z.array(z.object({ code: z.string(), text: z.string(), hint: z.string() })),
});
export const doctorSchema = z.object({ ok: z.boolean(), findings: z.array(findingSchema) });

/** A kind of agent, as the manifest of its provider describes it. */
export const providerSchema = z.object({
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
});

export const settingSchema = z.object({
  name: z.string(),
  value: z.unknown(),
  origin: z.string(),
  about: z.string(),
  /** Who may set it: `project` is the settings file of a project folder, `session` one session for itself. */
  scopes: z.array(z.enum(["user", "project", "session"])),
});

export const usageQuerySchema = z.strictObject({
  key: keySchema.nullish(),
  agent: agentNameSchema.nullish(),
  /** Only turns that were opened then or later, in milliseconds. */
  since: z.number().nullish(),
  /** At most so many sessions, and turns of the key. */
  limit: z.number().int().positive().default(100),
});
export const amountSchema = z.object({
  /** Null if unknown. */
  tokens: z.number().nullable(),
  known: z.enum(["measured", "estimated", "unreported"]),
});
export const usageFiguresSchema = z.object({
  turns: z.number(),
  outcomes: z.object({
    resume: z.number(),
    reseed: z.number(),
    blank: z.number(),
    refuse: z.number(),
  }),
  /** Turns that ran without reporting usage. */
  unreportedTurns: z.number(),
  cachedRead: amountSchema,
  cachedWrite: amountSchema,
  uncached: amountSchema,
  output: amountSchema,
  /** What reseeds would have sent instead of the resumed turns. */
  reseed: amountSchema,
  /** That, less what these turns sent uncached. */
  saved: amountSchema,
});
export const usageReportSchema = z.object({
  since: z.number().nullable(),
  sessions: z.array(
    usageFiguresSchema.extend({ key: z.string(), agent: z.string(), provider: z.string() }),
  ),
  /** Of the key that was asked for, newest first. */
  turns: z
    .array(
      usageFiguresSchema.extend({
        id: z.string(),
        seq: z.number(),
        agent: z.string(),
        provider: z.string(),
      }),
    )
    .nullable(),
  total: usageFiguresSchema,
});

export const backupReportSchema = z.object({
  file: z.string(),
  madeAt: z.number(),
  schema: z.number(),
  sessions: z.number(),
  turns: z.number(),
  /** Of the database, before it was compressed. */
  bytes: z.number(),
});
export const restoreReportSchema = backupReportSchema.omit({ bytes: true }).extend({
  home: z.string(),
  /** Turns that were open when the backup was made. */
  interrupted: z.number(),
  /** Folder with what the home had before. */
  keptAside: z.string().nullable(),
  /** Tokens that were valid when the backup was made; they are revoked unless they were asked for. */
  tokens: z.array(z.object({ name: z.string(), role: z.string(), kept: z.boolean() })),
  /** Webhooks of the backup; they are removed unless they were asked for. */
  webhooks: z.array(z.object({ id: z.string(), url: z.string().nullable(), kept: z.boolean() })),
  /** Agents and classes of the backup that start a program or use a file which their settings name. */
  programs: z.array(z.object({ name: z.string(), settings: z.record(z.string(), z.string()) })),
});

export const eventSchema = z.object({
  seq: z.number(),
  stream: z.string(),
  streamSeq: z.number(),
  type: z.string(),
  data: z.unknown(),
  at: z.number(),
});
