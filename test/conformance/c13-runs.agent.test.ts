/** C13 in workflows on the real agents. */

import { keepingForRuns } from "./c13-runs.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C13", keepingForRuns);
