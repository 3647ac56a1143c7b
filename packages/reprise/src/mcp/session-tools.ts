/** The tools for sessions and turns. */

import type { Progress } from "@reprise/core/api/reprise";
import { agentNameSchema, keySchema, verdictSchema } from "@reprise/core/api/schemas";
import { shownTo } from "@reprise/core/api/shown-to";
import { UsageError } from "@reprise/core/errors/errors";
import { z } from "zod";
import { type Tool, tool } from "./tool.ts";
import { sessionSchema, sessionView, turnSchema, turnView } from "./views.ts";
import { waitSchema, within } from "./within.ts";

const turnId = z
  .string()
  .min(1)
  .describe("Id of the turn, a unique prefix of it, or its session's key");
const continuity = z
  .enum(["resume", "reseed", "blank"])
  .nullish()
  .describe(
    "reseed: a new provider session that is sent the transcript; blank: one that is sent nothing. Leave it out to resume where that is possible.",
  );

export const sessionTools: readonly Tool[] = [
  tool({
    name: "continue_session",
    title: "Continue a session",
    about:
      "Send a prompt to an agent's session and wait for the answer. The session remembers all earlier turns under its key. A turn that takes longer continues: look at it with get_turn.",
    role: "operator",
    input: z.strictObject({
      key: keySchema().describe("Key of the session; a new key starts a new session"),
      prompt: z.string().min(1),
      agent: agentNameSchema().nullish().describe("Required for a new key"),
      continuity,
      folder: z
        .string()
        .min(1)
        .nullish()
        .describe("Folder that the agent works in; without it a session stays in its folder"),
      cwd: z
        .string()
        .min(1)
        .nullish()
        .describe("Your current folder: a new session works there unless its agent has a folder"),
      model: z.string().min(1).nullish(),
      now: z
        .boolean()
        .nullish()
        .describe("Try even if the limit of the agent's account is used up"),
      instructions: z.string().min(1).nullish(),
      wait: waitSchema,
    }),
    output: turnSchema,
    async call(call, { wait, ...send }) {
      const { reprise, caller, report } = call;
      const onProgress = (progress: Progress) => {
        const message = messageOf(progress);
        if (message !== null) report(message);
      };
      const result = await within(
        call,
        wait,
        ({ leave, accept }) =>
          reprise.sessions.send(
            { ...send, by: caller.name },
            { leave, onOpened: accept, onProgress },
          ),
        (turn) => reprise.turns.why(turn),
      );
      return turnView(result);
    },
  }),
  tool({
    name: "finish_session",
    title: "Finish a turn that was cut off",
    about:
      "Continue a turn that was cancelled, timed out or crashed after it had run a tool, without a new prompt.",
    role: "operator",
    input: z.strictObject({ key: keySchema(), wait: waitSchema }),
    output: turnSchema,
    async call(call, { wait, key }) {
      const { reprise, caller } = call;
      const result = await within(
        call,
        wait,
        ({ leave, accept }) =>
          reprise.sessions.finish({ key, by: caller.name }, { leave, onOpened: accept }),
        (turn) => reprise.turns.why(turn),
      );
      return turnView(result);
    },
  }),
  tool({
    name: "get_turn",
    title: "Get a turn",
    about: "Show a turn: how its session continued, why, and its result.",
    role: "viewer",
    input: z.strictObject({ turn: turnId }),
    output: turnSchema.extend({ verdicts: z.array(verdictSchema()) }),
    async call({ reprise, caller }, { turn }) {
      const found = shownTo(caller.role, await reprise.turns.why(turn));
      return { ...turnView(found), verdicts: found.decision?.verdicts ?? [] };
    },
  }),
  tool({
    name: "cancel_turn",
    title: "Cancel a turn",
    about: "End a turn's processes. Its session stays as it was before.",
    role: "operator",
    input: z.strictObject({ turn: turnId }),
    output: turnSchema,
    call: async ({ reprise, caller }, { turn }) =>
      turnView(await reprise.turns.cancel(turn, { by: caller.name })),
  }),
  tool({
    name: "explain_session",
    title: "Explain a session",
    about:
      "Explain what a turn would do now (resume, reseed, blank or refuse), with every guard's stored and current value. Changes nothing.",
    role: "viewer",
    input: z.strictObject({
      key: keySchema(),
      agent: agentNameSchema().nullish(),
      continuity,
      folder: z.string().min(1).nullish(),
      model: z.string().min(1).nullish(),
    }),
    output: z.object({
      key: z.string(),
      outcome: z.string(),
      reason: z.string(),
      verdicts: z.array(verdictSchema()),
    }),
    async call({ reprise, caller }, input) {
      const { decision } = shownTo(caller.role, await reprise.sessions.explain(input));
      const { outcome, reason, verdicts } = decision;
      return { key: input.key, outcome, reason, verdicts };
    },
  }),
  tool({
    name: "list_sessions",
    title: "List sessions",
    about: "List sessions in the order of their keys.",
    role: "viewer",
    input: z.strictObject({
      agent: z.string().nullish(),
      after: z.string().nullish().describe("List keys after this one"),
      limit: z.number().int().min(1).max(500).default(50),
    }),
    output: z.object({ sessions: z.array(sessionSchema) }),
    async call({ reprise }, { agent, after, limit }) {
      const query = { ...(agent && { agent }), ...(after && { after }), limit };
      return { sessions: (await reprise.sessions.list(query)).map(sessionView) };
    },
  }),
  tool({
    name: "adopt_session",
    title: "Adopt a conversation",
    about:
      "Adopt a conversation of an agent's own program, such as this one, under a key of Reprise: its history is kept, and continue_session and the command reprise send continue it. Two programs must not write it at once: leave it before it is continued.",
    role: "operator",
    harmless: true,
    input: z.strictObject({
      key: keySchema().describe("New key for the conversation"),
      provider: z.string().min(1).describe("The program: claude, codex, …"),
      id: z
        .string()
        .min(1)
        .nullish()
        .describe("The program's own id of the conversation. Codex: leave it out for this one"),
      agent: agentNameSchema()
        .nullish()
        .describe("Agent to continue with; the only one of that provider unless given"),
      folder: z
        .string()
        .min(1)
        .nullish()
        .describe("Folder of the conversation; the current one unless given"),
    }),
    output: z.object({
      key: z.string(),
      agent: z.string(),
      provider: z.string(),
      messages: z.number().describe("How many messages it has so far"),
      next: z.string().describe("What its first turn will do: resume or reseed"),
    }),
    async call({ reprise, cwd, providerSession }, { id, folder, ...adopt }) {
      const own = id ?? providerSession;
      if (own === null) throw noConversation();
      const wanted = { ...adopt, id: own, folder: folder ?? cwd };
      const { key, agent, provider, messages, next } = await reprise.sessions.adopt(wanted);
      return { key, agent, provider, messages, next };
    },
  }),
  tool({
    name: "fork_session",
    title: "Fork a session",
    about: "Copy a session to a new key, up to its end or to a turn.",
    role: "operator",
    harmless: true,
    input: z.strictObject({
      key: keySchema(),
      newKey: keySchema(),
      at: z.string().min(1).nullish().describe("Number or id of a turn"),
    }),
    output: z.object({
      key: z.string(),
      agent: z.string(),
      next: z.string().describe("What its first turn will do: resume or reseed"),
    }),
    async call({ reprise }, input) {
      const { key, agent, next } = await reprise.sessions.fork(input);
      return { key, agent, next };
    },
  }),
];

function noConversation(): UsageError {
  return new UsageError(
    "no-conversation",
    "The program that calls does not name its conversation.",
    'Give its id with "id"; nothing was changed.',
  );
}

/** Null for the agent's text, which is not reported as progress. */
function messageOf(progress: Progress): string | null {
  switch (progress.type) {
    case "waiting":
      return `waits behind turn ${progress.behind}`;
    case "limited":
      if (progress.limit === "quota")
        return `waits for the reset of the account's limit at ${new Date(progress.until).toISOString()}`;
      return `waits for a free agent (${progress.limit} ${progress.max})`;
    case "decided":
      return `${progress.decision.outcome}: ${progress.decision.reason}`;
    case "launched":
      return `the agent works (attempt ${progress.attempt})`;
    case "tool":
      return `uses ${progress.name}`;
    case "text":
      return null;
  }
}
