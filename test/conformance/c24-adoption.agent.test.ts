/** C24 on the real agents. */

import { adoption } from "./c24-adoption.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C24", adoption);
