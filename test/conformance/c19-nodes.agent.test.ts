/** C19 in workflows, on the real agents. */

import { inertNodes } from "./c19-nodes.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C19", (provider, start) =>
  inertNodes(provider, start, (prompt) =>
    provider === "claude" && prompt.startsWith("/") ? ` ${prompt}` : prompt,
  ),
);
