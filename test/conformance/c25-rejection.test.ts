/** C25, rejections and failures in workflows, on the scripted agent. */

import { nothingAfterNo } from "./c25-rejection.cases.ts";
import { startScripted } from "./scripted-subject.ts";

nothingAfterNo("scripted", startScripted);
