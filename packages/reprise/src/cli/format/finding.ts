/** A finding in a workflow file, in one line as editors and people read it. */

import type { Finding } from "@reprise/workflow/finding";
import type { Channel } from "../cli.ts";
import { oneLine } from "./text.ts";

export function findingLine(channel: Channel, file: string, finding: Finding): string {
  const { severity, code, message, hint, position } = finding;
  const place = position === null ? file : `${file}:${position.line}:${position.column}`;
  const style = severity === "error" ? "red" : "yellow";
  return `${place}: ${channel.paint(style, `${severity} ${code}`)}: ${oneLine(channel.hint(`${message} ${hint}`))}`;
}

/** `1 error and 2 warnings`; empty when there is neither. */
export function findingCount(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  return [
    ...(errors > 0 ? [counted(errors, "error")] : []),
    ...(warnings > 0 ? [counted(warnings, "warning")] : []),
  ].join(" and ");
}

export function counted(number: number, name: string): string {
  return `${number} ${name}${number === 1 ? "" : "s"}`;
}
