/** C20 on the real agents. */

import { cost } from "./c20-cost.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C20", cost);
