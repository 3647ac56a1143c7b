/** Valid ids of nodes. */

import { shown } from "@reprise/core/errors/shown";
import type { Position } from "../graph.ts";
import type { FileReading } from "./schema-check.ts";

/** In a template these are not nodes. */
const reserved = ["inputs", "run"];

/** An id is part of execution names, in which `/` and `~` are separators, and of placeholders. */
export function checkId(id: string, at: Position, { report }: FileReading): boolean {
  const isReserved = reserved.includes(id);
  if (!isReserved && /^[^\p{Cc}/~{}]{1,100}$/u.test(id)) return true;
  report.error(
    "bad-id",
    at,
    `${shown(id)} cannot be the id of a node.`,
    isReserved
      ? "It has another meaning in templates. Choose another name."
      : "Use 1 to 100 characters, without /, ~ or braces.",
  );
  return false;
}
