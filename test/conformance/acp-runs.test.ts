/** C15 to C17 and C25 on an ACP agent: docks, sessions over several nodes, retry gates, rejections. */

import { startAcp } from "./acp-subject.ts";
import { docks } from "./c15-docks.cases.ts";
import { nodeKeys } from "./c16-node-keys.cases.ts";
import { oneSession } from "./c16-one-session.cases.ts";
import { retryGate } from "./c17-retry-gate.cases.ts";
import { nothingAsked } from "./c25-permission.cases.ts";
import { nothingAfterNo } from "./c25-rejection.cases.ts";

docks("acp", startAcp);
nodeKeys("acp", startAcp);
oneSession("acp", startAcp);
retryGate("acp", startAcp);
nothingAsked("acp", startAcp);
nothingAfterNo("acp", startAcp);
