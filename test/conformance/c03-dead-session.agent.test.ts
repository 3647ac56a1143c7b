/** C03 on the real agents. */

import { deadSession } from "./c03-dead-session.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C03", deadSession);
