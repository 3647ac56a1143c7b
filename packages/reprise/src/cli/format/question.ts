/** What a waiting turn asks, and how to answer it, for people. */

import type { TurnResult } from "@reprise/core/api/reprise";
import { questionTexts } from "@reprise/core/session/question";
import { inert } from "./text.ts";

export function questionLines({ asked, turn }: TurnResult): string[] {
  if (asked === null) return [];
  const { kind, tool, input } = asked.question;
  const texts = questionTexts({ id: asked.question.id, kind, tool, input });
  const id = turn.id.slice(0, 8);
  const how =
    kind === "permission"
      ? [`reprise approve ${id}`, `reprise reject ${id} --comment "REASON"`]
      : texts.length === 1
        ? [`reprise answer ${id} "ANSWER"`]
        : [`reprise answer ${id} ${texts.map((text) => `--answer "${text}=ANSWER"`).join(" ")}`];
  return [
    "The agent asks, and the turn waits:",
    ...texts.map((text) => `  ${inert(text)}`),
    ...choices(input).map((choice) => `    - ${inert(choice)}`),
    ...how.map((line, index) => `${index === 0 ? "Answer with:" : "          or:"} ${inert(line)}`),
  ];
}

function choices(input: unknown): string[] {
  const { questions } = (input ?? {}) as { questions?: { options?: { label?: unknown }[] }[] };
  const labels = (questions ?? [])
    .flatMap(({ options }) => options ?? [])
    .map(({ label }) => label);
  return labels.filter((label) => typeof label === "string");
}
