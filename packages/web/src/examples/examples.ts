/** Workflows to start with, shipped with the page. */

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
  about: "A session that continues through a loop and a gate. Works offline.",
  source: demonstration,
};

export const examples: readonly Example[] = [
  offline,
  { name: "Order", about: "A form for you to fill in. Works offline.", source: order },
  {
    name: "Review loop",
    about: "A coder and a reviewer, until the reviewer approves. Needs Claude Code.",
    source: reviewLoop,
  },
];
