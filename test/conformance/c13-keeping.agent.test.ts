/** C13 on the real agents. */

import { keeping } from "./c13-keeping.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C13", keeping);
