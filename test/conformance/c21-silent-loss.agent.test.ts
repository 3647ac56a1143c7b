/** C21 on the real agents. */

import { silentLoss } from "./c21-silent-loss.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C21", silentLoss);
