/** C07 on the real codex. */

import { ghost } from "./c07-ghost.cases.ts";
import { onCodex, startCodex } from "./codex-subject.ts";

onCodex("C07", (provider) => ghost(provider, startCodex));
