/** Checks that a default has the right type. */

import type { FormField, PortType } from "../graph.ts";
import { fit } from "../run/port-value.ts";
import type { FileReading } from "./schema-check.ts";
import type { Path } from "./source.ts";

interface Defaulted {
  /** For messages: `the input "n"`. */
  readonly name: string;
  readonly type: PortType | FormField["type"];
  readonly choices?: readonly string[] | undefined;
  readonly default?: unknown;
  /** Values are given as text and converted to the type, so the default is too. */
  readonly isRead: boolean;
}

/** `path` is that of what has the default. */
export function checkDefault(what: Defaulted, path: Path, { source, report }: FileReading): void {
  const { name, type, choices = [] } = what;
  const value = what.default ?? null;
  if (value === null || fits(what, value)) return;
  const isChoice = type === "choice";
  const shown = JSON.stringify(value);
  report.error(
    "wrong-default",
    source.at([...path, "default"]),
    `The default of ${name} must be ${isChoice ? "one of its choices" : wordFor[type]}, but is ${shown}.`,
    isChoice
      ? report.near(String(value), choices, `Use one of: ${choices.join(", ")}.`)
      : "Change the value or the type.",
  );
}

const wordFor: Readonly<Record<PortType, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  json: "JSON",
  any: "a value",
};

function fits({ type, choices, isRead }: Defaulted, value: unknown): boolean {
  // A field without choices is reported elsewhere.
  if (type === "choice") return !choices?.length || choices.some((choice) => choice === value);
  if (isRead && type === "number" && typeof value === "string")
    return value.trim() !== "" && Number.isFinite(Number(value));
  return fit(type, value).fits;
}
