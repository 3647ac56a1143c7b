/** C07 on the real agents. */

import { ghost } from "./c07-ghost.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C07", ghost);
