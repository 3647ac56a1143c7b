/**
 * The hook that claude runs before a tool that needs a person (`PreToolUse`). Without an answer the
 * call is deferred, so that the turn ends and no process waits; with one it continues as answered. The
 * arguments are rules for tools that claude may judge by itself. They do not apply to a call that an earlier turn left
 * deferred: whatever is allowed by now, that call still needs its answer.
 */

import { json } from "node:stream/consumers";
import { type Answered, answersVariable, deferredVariable, readAnswer } from "../answers.ts";
import { everyCall, type HookCall, isCovered } from "./rules.ts";

interface HookedCall extends HookCall {
  readonly tool_use_id: string;
  /** Only in a subagent. */
  readonly agent_id?: string;
}

const call = (await json(process.stdin)) as HookedCall;
const answered = readAnswer(process.env[answersVariable], call.tool_use_id);
// A subagent whose call is deferred ends silently and cannot be resumed.
const rules = process.argv.slice(2);
const own = call.agent_id !== undefined || isCovered(call, rules);
const isOld = call.tool_use_id === process.env[deferredVariable];
if (rules.includes(everyCall) ? isOld : !isOld && (answered || !own)) {
  const hookSpecificOutput = { hookEventName: "PreToolUse", ...verdict(call, answered) };
  console.log(JSON.stringify({ hookSpecificOutput }));
}

function verdict({ tool_input }: HookCall, answer: Answered | undefined) {
  if (answer === undefined) return { permissionDecision: "defer" };
  const note = answer.note && { additionalContext: answer.note };
  if (answer.decision === "deny")
    return { permissionDecision: "deny", permissionDecisionReason: answer.message, ...note };
  const { answers } = answer;
  const input = answers && { updatedInput: { ...tool_input, answers } };
  return { permissionDecision: "allow", ...input, ...note };
}
