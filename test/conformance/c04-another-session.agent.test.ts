/** C04 on the real agents. */

import { anotherSession } from "./c04-another-session.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C04", anotherSession);
