/** C10 on the real agents. */

import { checkpoint } from "./c10-checkpoint.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C10", checkpoint);
