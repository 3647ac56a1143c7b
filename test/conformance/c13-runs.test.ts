/** C13 in workflows on the scripted agent. */

import { keepingForRuns } from "./c13-runs.cases.ts";
import { startScripted } from "./scripted-subject.ts";

keepingForRuns("scripted", startScripted);
