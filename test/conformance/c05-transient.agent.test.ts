/** C05 on the real agents. */

import { cutOffCases } from "./c05-cut-off.cases.ts";
import { transient } from "./c05-transient.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C05", transient);
onRealAgents("C05", cutOffCases);
