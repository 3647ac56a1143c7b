/** The command that fills in a form: its choices, and every field with its possible values. */

import type { InboxItemView } from "@reprise/core/api/reprise";
import { oneLine } from "./text.ts";

type Field = InboxItemView["fields"][number];

/** `reprise answer k3v9m2xq release|rework --value version=… [--value channel=stable|beta]`. */
export function formAnswer({
  id,
  choices,
  fields,
}: Pick<InboxItemView, "id" | "choices" | "fields">): string {
  const values = fields.map((field) => {
    const value = `--value ${oneLine(field.name)}=${wanted(field)}`;
    return field.required && (field.default ?? null) === null ? value : `[${value}]`;
  });
  const choice = choices.length > 0 ? [choices.map(oneLine).join("|")] : [];
  return ["reprise answer", id.slice(0, 8), ...choice, ...values].join(" ");
}

function wanted({ type, choices }: Field): string {
  if (choices.length > 0) return choices.map(oneLine).join("|");
  if (type === "boolean") return "true|false";
  return type === "number" ? "NUMBER" : "…";
}
