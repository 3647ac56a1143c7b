/** The budget of an agent node. */

import type { AgentNode } from "./graph.ts";

/** As settings of the node's session. */
export function budgetSettings({ budget }: AgentNode): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(budget ?? {}).map(([name, value]) => [
      name.startsWith("budget.") ? name : `budget.${name}`,
      value,
    ]),
  );
}
