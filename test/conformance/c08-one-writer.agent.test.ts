/** C08 on the real codex. */

import { oneWriter } from "./c08-one-writer.cases.ts";
import { onCodex, startCodex } from "./codex-subject.ts";

onCodex("C08", (provider) => oneWriter(provider, startCodex));
