/** C19 in workflows, on the scripted agent. */

import { inertNodes } from "./c19-nodes.cases.ts";
import { startScripted } from "./scripted-subject.ts";

inertNodes("scripted", startScripted);
