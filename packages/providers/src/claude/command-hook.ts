/**
 * The hook that claude runs before every command under access `edit` without a sandbox (`PreToolUse`): it lets the
 * commands through that its arguments name, and denies all others, whatever claude's settings files allow. With
 * `--others-ask` first, the others are left to the hook that asks a person.
 */

import { json } from "node:stream/consumers";
import { isAllowedCommand } from "@reprise/core/session/access";
import type { HookCall } from "./rules.ts";

const [first, ...rest] = process.argv.slice(2);
const othersAsk = first === "--others-ask";
const allowed = othersAsk || first === undefined ? rest : [first, ...rest];
const { tool_input, agent_id } = (await json(process.stdin)) as HookCall & { agent_id?: string };
const isAllowed = isAllowedCommand(String(tool_input.command ?? ""), allowed);
// A subagent cannot ask a person.
if (isAllowed || !othersAsk || agent_id !== undefined) {
  const hookSpecificOutput = {
    hookEventName: "PreToolUse",
    ...(isAllowed
      ? { permissionDecision: "allow" }
      : {
          permissionDecision: "deny",
          permissionDecisionReason: `Only these commands are allowed here, exactly as written: ${allowed.join(", ") || "none"}`,
        }),
  };
  console.log(JSON.stringify({ hookSpecificOutput }));
}
