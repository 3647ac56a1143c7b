/** C08 on the scripted agent: cancelling. */

import { cancelling } from "./c08-cancel.cases.ts";
import { startScripted } from "./scripted-subject.ts";

cancelling("scripted", startScripted);
