/** Accepts names that other programs already use for what Reprise calls otherwise. */

import { parse } from "@reprise/core/api/parse";
import type { Reprise, TurnResult } from "@reprise/core/api/reprise";
import type { Route } from "@reprise/core/api/routes";
import { turnResultSchema } from "@reprise/core/api/schemas";
import { RefusedError, UsageError } from "@reprise/core/errors/errors";
import { z } from "zod";

/** Paths that lead to `turns.answer`. */
export const toolResultPaths = ["/v1/turns/{turn}/tool-result", "/api/runs/{turn}/tool-result"];

/** Leads to `sessions.send`, with the key as `sessionKey` in the body. */
export const runPath = "/v1/run";

type Values = Readonly<Record<string, unknown>>;

/** `forceFreshSession: true` means `continuity: reseed`. */
export function withoutAliases(route: Route, body: Values): Values {
  const { forceFreshSession, ...rest } = body;
  if (forceFreshSession === undefined || !("continuity" in route.input().shape)) return body;
  if (typeof forceFreshSession !== "boolean" || (forceFreshSession && rest.continuity != null))
    throw new UsageError(
      "bad-input",
      '"forceFreshSession" must be true or false, and excludes "continuity".',
      "Use `continuity` instead; nothing was changed.",
    );
  return forceFreshSession ? { ...rest, continuity: "reseed" } : rest;
}

/** Adds to a turn whether its session was resumed; null while that is undecided. */
export function withAliases(route: Route, result: unknown): unknown {
  if (route.output !== turnResultSchema) return result;
  const turn = result as TurnResult;
  const outcome = turn.decision?.outcome;
  return { ...turn, sessionResumed: outcome === undefined ? null : outcome === "resume" };
}

export const toolResultSchema = z.strictObject({
  /** Id of the question. */
  toolUseId: z.string().min(1).nullish(),
  content: z.string().min(1),
  isError: z.boolean().default(false),
});

/** The result of the tool by which an agent asked, as an answer to its turn. */
export async function answerOfToolResult(
  reprise: Reprise,
  turn: string,
  body: Values,
): Promise<Values> {
  const { toolUseId, content, isError } = parse(toolResultSchema, body);
  const { asked } = await reprise.turns.why(turn);
  if (toolUseId != null && asked !== null && asked.question.id !== toolUseId)
    throw new RefusedError(
      "other-question",
      `Turn ${turn} does not wait for ${toolUseId}.`,
      "Look at what it asks; nothing was changed.",
    );
  return isError ? { deny: content } : { text: content };
}
