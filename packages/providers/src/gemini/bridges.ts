/** The program that starts gemini. */

import { bridge } from "../define-provider.ts";

export const starter = bridge("gemini-start", "./start.ts", import.meta.url);
