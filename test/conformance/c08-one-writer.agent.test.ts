/** C08 on the real agents. */

import { oneWriter } from "./c08-one-writer.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C08", oneWriter);
