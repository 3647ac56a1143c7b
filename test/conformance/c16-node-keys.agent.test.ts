/** Keys in nodes, on the real agents. */

import { nodeKeys } from "./c16-node-keys.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C16", nodeKeys);
