/** C04 on the real codex. */

import { anotherSession } from "./c04-another-session.cases.ts";
import { onCodex, startCodex } from "./codex-subject.ts";

onCodex("C04", (provider) => anotherSession(provider, startCodex));
