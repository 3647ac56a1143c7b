/** C02 on the real codex. */

import { newIds } from "./c02-new-ids.cases.ts";
import { onCodex, startCodex } from "./codex-subject.ts";

onCodex("C02", (provider) => newIds(provider, startCodex));
