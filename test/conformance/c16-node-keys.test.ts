/** Keys in nodes, on the scripted agent. */

import { nodeKeys } from "./c16-node-keys.cases.ts";
import { startScripted } from "./scripted-subject.ts";

nodeKeys("scripted", startScripted);
