/** A gate node from its data. */

import type { DataOf } from "../document.ts";
import type { FormField, GateNode } from "../graph.ts";
import { milliseconds } from "./common.ts";
import type { DraftNode } from "./draft.ts";
import type { TypeFields } from "./nodes.ts";

export function gateParts(
  { templates, id }: DraftNode,
  data: DataOf<"gate">,
): TypeFields<GateNode> {
  const fields = (data.fields ?? []).map(formField);
  return {
    kind: data.kind ?? (fields.length > 0 ? "form" : "approval"),
    title: templates.get("title") ?? { parts: [id] },
    message: templates.get("message") ?? null,
    choices: data.choices ?? ["approve", "reject"],
    fields,
    answerers: data.answerers ?? [],
    passphrase: data.passphrase ?? null,
    deadline: milliseconds(data.deadline),
    onDeadline:
      data.onDeadline === undefined || data.onDeadline === "fail"
        ? "fail"
        : { choice: data.onDeadline },
    onReject: data.onReject ?? "skip",
  };
}

type WrittenField = NonNullable<DataOf<"gate">["fields"]>[number];

/** If it has choices, they determine its type. */
export function fieldTypeOf({ type, choices }: WrittenField): FormField["type"] {
  return type ?? (choices ? "choice" : "string");
}

function formField(field: WrittenField): FormField {
  return {
    name: field.name,
    label: field.label ?? field.name,
    type: fieldTypeOf(field),
    choices: field.choices ?? [],
    required: field.required ?? !("default" in field),
    ...("default" in field ? { default: field.default } : {}),
  };
}
