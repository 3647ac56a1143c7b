/** C06 on the real agents: failures that are not the session's fault. */

import { notStrikes } from "./c06-not-strikes.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C06", notStrikes);
