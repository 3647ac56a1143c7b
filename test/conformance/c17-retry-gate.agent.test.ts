/** C17 on the real agents. */

import { retryGate } from "./c17-retry-gate.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C17", retryGate);
