/** The hooks that claude runs before a tool. */

import { bridge } from "../define-provider.ts";

export const questionHook = bridge("claude-hook", "./hook.ts", import.meta.url);
export const commandHook = bridge("claude-command-hook", "./command-hook.ts", import.meta.url);
