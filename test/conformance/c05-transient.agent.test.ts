/** C05 on the real agents. */

import { transient } from "./c05-transient.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C05", transient);
