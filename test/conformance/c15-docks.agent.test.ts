/** C15 on the real agents. */

import { docks } from "./c15-docks.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C15", docks);
