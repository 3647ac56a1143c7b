/** C01 on the real codex. */

import { coupling } from "./c01-coupling.cases.ts";
import { onCodex, startCodex } from "./codex-subject.ts";

onCodex("C01", (provider) => coupling(provider, startCodex));
