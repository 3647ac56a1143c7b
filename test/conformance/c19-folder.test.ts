/** C19 on the scripted agent: folders. */

import { staysInFolder } from "./c19-folder.cases.ts";
import { startScripted } from "./scripted-subject.ts";

staysInFolder("scripted", startScripted);
