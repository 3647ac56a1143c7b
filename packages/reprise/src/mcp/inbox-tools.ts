/** The tools for the inbox. */

import { z } from "zod";
import { type Tool, tool } from "./tool.ts";
import { itemSchema, itemView } from "./views.ts";
import { waitSchema, within } from "./within.ts";

export const inboxTools: readonly Tool[] = [
  tool({
    name: "list_inbox",
    title: "List the inbox",
    about: "What waits for a person, oldest first: gates of workflows and questions of agents.",
    role: "viewer",
    input: z.strictObject({
      run: z.string().min(1).nullish(),
      limit: z.number().int().min(1).max(500).default(50),
    }),
    output: z.object({ items: z.array(itemSchema) }),
    async call({ reprise }, { run, limit }) {
      const items = await reprise.inbox.list({ ...(run && { run }), limit });
      return { items: items.map(itemView) };
    },
  }),
  tool({
    name: "answer_inbox",
    title: "Answer an inbox item",
    about:
      "Answer an inbox item, once, and continue the work that waits for it. Only do this when the person you work for has decided the answer.",
    role: "approver",
    chosen: true,
    input: z.strictObject({
      item: z.string().min(1).describe("Id of the item, or a unique prefix of it"),
      choice: z
        .string()
        .min(1)
        .nullish()
        .describe("Gate or stuck run: one of its choices. Permission: allow or deny."),
      values: z
        .record(z.string(), z.unknown())
        .nullish()
        .describe("Form: the values of its fields"),
      comment: z
        .string()
        .min(1)
        .nullish()
        .describe("Comment to record with the answer; for a denial, its reason"),
      text: z.string().min(1).nullish().describe("Answer to a single question of an agent"),
      answers: z
        .record(z.string(), z.string())
        .nullish()
        .describe("Answers to several questions: maps the text or number of each to its answer"),
      deny: z.string().min(1).nullish().describe("Deny a permission, with this reason"),
      wait: waitSchema,
    }),
    output: z.object({
      item: itemSchema,
      run: z.string().nullable(),
      status: z.string().nullable().describe("Status of the run after it continued"),
    }),
    async call(call, { wait, ...answer }) {
      const { reprise, caller } = call;
      const { item, run } = await within(
        call,
        wait,
        ({ leave, accept }) =>
          reprise.inbox.answer({ ...answer, by: caller.name }, { leave, onAnswered: accept }),
        async (id) => {
          const shown = await reprise.inbox.show(id);
          const run = shown.run === null ? null : await reprise.runs.show(shown.run);
          return { item: shown, given: true, run };
        },
      );
      return { item: itemView(item), run: run?.id ?? null, status: run?.status ?? null };
    },
  }),
];
