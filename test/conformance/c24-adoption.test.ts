/** C24 on the scripted agent. */

import { adoption } from "./c24-adoption.cases.ts";
import { startScripted } from "./scripted-subject.ts";

adoption("scripted", startScripted);
