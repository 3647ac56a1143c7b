/** C12 on the real agents. */

import { gateOfDays } from "./c12-gate.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C12", gateOfDays);
