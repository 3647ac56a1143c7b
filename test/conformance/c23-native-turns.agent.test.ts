/** C23 on the real agents. */

import { nativeTurns } from "./c23-native-turns.cases.ts";
import { onRealAgents } from "./real-agents.ts";

onRealAgents("C23", nativeTurns);
