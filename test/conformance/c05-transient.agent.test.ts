/** C05 on the real codex. */

import { transient } from "./c05-transient.cases.ts";
import { onCodex, startCodex } from "./codex-subject.ts";

onCodex("C05", (provider) => transient(provider, startCodex));
