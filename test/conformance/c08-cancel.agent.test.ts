/** C08 on the real agents: cancelling. */

import { cancelling } from "./c08-cancel.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C08", cancelling);
