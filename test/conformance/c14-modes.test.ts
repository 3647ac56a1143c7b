/** C14 on the scripted agent. */

import { modes } from "./c14-modes.cases.ts";
import { startScripted } from "./scripted-subject.ts";

modes("scripted", startScripted);
