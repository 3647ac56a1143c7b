/** Checks the values of a form against its fields. */

import { UsageError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import { suggest } from "@reprise/core/errors/suggestion";
import type { FormField } from "@reprise/workflow/graph";
import type { NamedValues } from "@reprise/workflow/run/event";

/** Fills in defaults and converts text, as a command line gives it, to the type of the field. */
export function formValues(fields: readonly FormField[], given: NamedValues): NamedValues {
  const values = givenValues(fields, given);
  for (const field of fields) {
    if (values[field.name] === undefined && field.default != null)
      values[field.name] = valueFor(field, field.default);
    if (field.required && isEmpty(values[field.name]))
      throw new UsageError(
        "missing-field",
        `The field "${field.name}" (${field.label}) is not filled in.`,
        `Give it with ${option(`values.${field.name}`)}.`,
      );
  }
  return values;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === "string" && value.trim() === "");
}

/** The values of a form that need not be filled in: only those that were given, each checked. */
export function givenValues(
  fields: readonly FormField[],
  given: NamedValues,
): Record<string, unknown> {
  const names = fields.map(({ name }) => name);
  for (const unknown of Object.keys(given))
    if (!names.includes(unknown))
      throw new UsageError(
        "unknown-field",
        `There is no field "${unknown}".`,
        names.length === 0 ? "The form has no fields." : suggest(unknown, names),
      );
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value = given[field.name];
    if (value != null) values[field.name] = valueFor(field, value);
  }
  return values;
}

function valueFor({ name, type, choices }: FormField, value: unknown): unknown {
  const wrong = (what: string, hint: string) =>
    new UsageError(
      "wrong-field",
      `The field "${name}" must be ${what}, but is ${JSON.stringify(value)}.`,
      hint,
    );
  if (type === "choice") {
    if (typeof value === "string" && choices.includes(value)) return value;
    throw wrong(`one of ${choices.join(", ")}`, suggest(String(value), choices));
  }
  const read = typeof value === "string" ? fromText(type, value) : value;
  if (typeof read === type) return read;
  throw wrong(`a ${type}`, `Give it with ${option(`values.${name}`)}.`);
}

function fromText(type: FormField["type"], text: string): unknown {
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  if (type === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  return text;
}
