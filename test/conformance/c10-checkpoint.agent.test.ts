/** C10 on the real codex. */

import { checkpoint } from "./c10-checkpoint.cases.ts";
import { onCodex, startCodex } from "./codex-subject.ts";

onCodex("C10", (provider) => checkpoint(provider, startCodex));
