/** C16 on the scripted agent. */

import { oneSession } from "./c16-one-session.cases.ts";
import { startScripted } from "./scripted-subject.ts";

oneSession("scripted", startScripted);
