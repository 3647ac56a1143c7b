/** C06 on the scripted agent: failures that are not the session's fault. */

import { notStrikes } from "./c06-not-strikes.cases.ts";
import { startScripted } from "./scripted-subject.ts";

notStrikes("scripted", startScripted);
