/** C16 on the real agents. */

import { oneSession } from "./c16-one-session.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C16", oneSession);
