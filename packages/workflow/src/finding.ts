/** An error or a warning about a workflow file, with its position. */

import type { Position } from "./graph.ts";

export interface Finding {
  readonly severity: "error" | "warning";
  /** A slug such as `unknown-node-type`. */
  readonly code: string;
  /** One sentence that says what is wrong. */
  readonly message: string;
  /** One sentence that says what to do. */
  readonly hint: string;
  readonly position: Position | null;
}
