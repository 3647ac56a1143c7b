/** C08 on the scripted agent. */

import { oneWriter } from "./c08-one-writer.cases.ts";
import { startScripted } from "./scripted-subject.ts";

oneWriter("scripted", startScripted);
