/** C21 on the real codex. */

import { silentLoss } from "./c21-silent-loss.cases.ts";
import { onCodex, startCodex } from "./codex-subject.ts";

onCodex("C21", (provider) => silentLoss(provider, startCodex));
