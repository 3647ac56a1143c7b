/** C03 on the scripted agent. */

import { deadSession } from "./c03-dead-session.cases.ts";
import { startScripted } from "./scripted-subject.ts";

deadSession("scripted", startScripted);
