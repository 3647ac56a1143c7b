/** C19 on the real agents: folders. */

import { staysInFolder } from "./c19-folder.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C19", staysInFolder);
