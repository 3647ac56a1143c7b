/** What a waiting turn asks, and how to answer it, for people. */

import type { TurnResult } from "@reprise/core/api/reprise";
import { numbered, type QuestionPart, questionParts } from "@reprise/core/session/question";
import { inert } from "./text.ts";

export function questionLines({ asked, turn }: TurnResult): string[] {
  if (asked === null) return [];
  const { kind, tool, input } = asked.question;
  const parts = questionParts({ tool, input });
  const id = turn.id.slice(0, 8);
  const how =
    kind === "permission"
      ? [`reprise approve ${id}`, `reprise reject ${id} --comment "REASON"`]
      : [answerCommand(id, parts)];
  return [
    "The agent asks, and the turn waits:",
    ...partLines(parts).map((line) => `  ${line}`),
    ...how.map((line, index) => `${index === 0 ? "Answer with:" : "          or:"} ${inert(line)}`),
  ];
}

/** Each question with its options below it. */
export function partLines(parts: readonly QuestionPart[]): string[] {
  const texts = numbered(parts.map(({ text }) => text));
  return parts.flatMap(({ options }, index) => [
    inert(texts[index] ?? ""),
    ...options.map((option) => `  - ${inert(option)}`),
  ]);
}

/** Several questions are answered by their numbers. */
export function answerCommand(id: string, parts: readonly QuestionPart[]): string {
  const item = id.slice(0, 8);
  return parts.length === 1
    ? `reprise answer ${item} "ANSWER"`
    : `reprise answer ${item} ${parts.map((_, index) => `--answer ${index + 1}="ANSWER"`).join(" ")}`;
}
