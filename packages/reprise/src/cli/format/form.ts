/** Commands that answer a gate, one for each choice. Each works as it is printed. */

import type { InboxItemView } from "@reprise/core/api/reprise";
import { shellWord } from "@reprise/core/text/shell-word";
import { oneLine } from "./text.ts";

type Field = InboxItemView["fields"][number];

/**
 * `reprise answer k3v9m2xq release --value version=TEXT` and `reprise answer k3v9m2xq rework`. The first choice needs
 * the required fields; they have a sample value, to be replaced. Other choices need none.
 */
export function gateAnswers({
  id,
  choices,
  fields,
}: Pick<InboxItemView, "id" | "choices" | "fields">): string[] {
  const answer = `reprise answer ${id.slice(0, 8)}`;
  const values = fields
    .filter((field) => field.required && (field.default ?? null) === null)
    .map((field) => `--value ${shellWord(`${oneLine(field.name)}=${sample(field)}`)}`);
  const [first, ...others] = choices.map((choice) => shellWord(oneLine(choice)));
  return [
    [answer, ...(first === undefined ? [] : [first]), ...values].join(" "),
    ...others.map((choice) => `${answer} ${choice}`),
  ];
}

function sample({ type, choices: [first] }: Field): string {
  if (first !== undefined) return oneLine(first);
  if (type === "boolean") return "true";
  return type === "number" ? "1" : "TEXT";
}
