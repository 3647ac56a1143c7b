/** The bridge of the openai provider: the program of one turn. */

import { bridge } from "../define-provider.ts";

export const chatBridge = bridge("openai-chat", "./chat.ts", import.meta.url);
