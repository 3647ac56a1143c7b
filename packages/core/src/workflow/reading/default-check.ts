/** Checks that a default can be the value that it stands for. */

import type { FormField, PortType } from "../graph.ts";
import { fit } from "../run/port-value.ts";
import type { FileReading } from "./schema-check.ts";
import type { Path } from "./source.ts";

interface Defaulted {
  /** As a sentence names it: `the input "n"`. */
  readonly name: string;
  readonly type: PortType | FormField["type"];
  readonly choices?: readonly string[] | undefined;
  readonly default?: unknown;
  /** A person gives its value as a text, which is read as what it is; so is the default. */
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
    `The default of ${name} must be ${isChoice ? "one of its choices" : wordFor[type]}, and is ${shown}.`,
    isChoice
      ? report.near(String(value), choices, `Use one of: ${choices.join(", ")}.`)
      : "Write such a value, or another type.",
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
  // One without choices has another mistake than its default.
  if (type === "choice") return !choices?.length || choices.some((choice) => choice === value);
  if (isRead && type === "number" && typeof value === "string")
    return value.trim() !== "" && Number.isFinite(Number(value));
  return fit(type, value).fits;
}
