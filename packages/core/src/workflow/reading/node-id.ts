/** What a node may be called. */

import { shown } from "../../errors/shown.ts";
import type { Position } from "../graph.ts";
import type { FileReading } from "./schema-check.ts";

/** In a template these are not nodes. */
const reserved = ["inputs", "run"];

/** An id is a part of the names of executions, which `/` and `~` divide, and of places in templates. */
export function checkId(id: string, at: Position, { report }: FileReading): boolean {
  const isReserved = reserved.includes(id);
  if (!isReserved && /^[^\p{Cc}/~{}]{1,100}$/u.test(id)) return true;
  report.error(
    "bad-id",
    at,
    `${shown(id)} cannot be the id of a node.`,
    isReserved
      ? "In templates it means something else; choose another name."
      : "Use 1 to 100 characters, but neither / nor ~ nor braces.",
  );
  return false;
}
