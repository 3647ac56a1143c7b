/** The program of one turn of an ACP agent. */

import { bridge } from "../define-provider.ts";

export const turnBridge = bridge("acp-turn", "./turn.ts", import.meta.url);
