/** C02 on the real agents. */

import { newIds } from "./c02-new-ids.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C02", newIds);
