/** C12 to C14 on an ACP agent: gates of days, archived and purged keys, modes. */

import { startAcp } from "./acp-subject.ts";
import { gateOfDays } from "./c12-gate.cases.ts";
import { keeping } from "./c13-keeping.cases.ts";
import { keepingForRuns } from "./c13-runs.cases.ts";
import { modes } from "./c14-modes.cases.ts";

gateOfDays("acp", startAcp);
keeping("acp", startAcp);
keepingForRuns("acp", startAcp);
modes("acp", startAcp);
