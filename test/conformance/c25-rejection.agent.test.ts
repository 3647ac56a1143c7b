/** C25, rejections and failures in workflows, on the real agents. */

import { nothingAfterNo } from "./c25-rejection.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C25", nothingAfterNo);
