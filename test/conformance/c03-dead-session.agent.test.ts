/** C03 on the real codex. */

import { deadSession } from "./c03-dead-session.cases.ts";
import { onCodex, startCodex } from "./codex-subject.ts";

onCodex("C03", (provider) => deadSession(provider, startCodex));
