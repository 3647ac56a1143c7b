/** Workflows to begin with, as files that the page brings along. */

import demonstration from "./demonstration.yaml?raw";
import order from "./order.yaml?raw";
import reviewLoop from "./review-loop.yaml?raw";

export interface Example {
  readonly name: string;
  readonly about: string;
  readonly source: string;
}

/** The one that works everywhere. */
export const offline: Example = {
  name: "Demonstration",
  about: "a session that goes on through a loop and a gate; offline",
  source: demonstration,
};

export const examples: readonly Example[] = [
  offline,
  { name: "Order", about: "a form; offline", source: order },
  { name: "Review loop", about: "coder and reviewer; needs Claude Code", source: reviewLoop },
];
