/** C22 on the real agents. */

import { crash } from "./c22-crash.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C22", crash);
