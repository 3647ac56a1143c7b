/** C20 on the real agents; what makes a session shorter is in c20-compaction. */

import { cost } from "./c20-cost.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C20", cost);
