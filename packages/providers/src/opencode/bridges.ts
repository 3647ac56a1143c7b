/** The program that starts opencode. */

import { bridge } from "../define-provider.ts";

export const starter = bridge("opencode-start", "./start.ts", import.meta.url);
