/** C22 on the real codex. */

import { crash } from "./c22-crash.cases.ts";
import { onCodex, startCodex } from "./codex-subject.ts";

onCodex("C22", (provider) => crash(provider, startCodex));
