import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { Answers } from "../answers.ts";
import { bridgePath } from "../define-provider.ts";
import { questionHook } from "./bridges.ts";

let folder: string;
beforeAll(() => {
  folder = temporaryFolder("hook");
});
afterAll(() => rmSync(folder, { recursive: true }));

const call = { tool_use_id: "toolu_1", tool_name: "Bash", tool_input: { command: "git push" } };

async function hooked(
  more: object,
  answers: Answers | null,
  rules: string[] = [],
  deferred?: string,
) {
  const file = join(folder, "answers.json");
  if (answers) writeFileSync(file, JSON.stringify(answers));
  const child = spawn(process.execPath, [bridgePath(questionHook), ...rules], {
    env: {
      ...(answers && { REPRISE_ANSWERS: file }),
      ...(deferred && { REPRISE_DEFERRED: deferred }),
    },
  });
  child.stdin.end(JSON.stringify({ ...call, ...more }));
  const said = await text(child.stdout);
  return said === "" ? null : JSON.parse(said).hookSpecificOutput;
}

test.each<[string, object, Answers | null, object | null]>([
  ["without answers it is deferred", {}, null, { permissionDecision: "defer" }],
  ["without its answer too", {}, { other: { decision: "allow" } }, { permissionDecision: "defer" }],
  ["allowed", {}, { toolu_1: { decision: "allow" } }, { permissionDecision: "allow" }],
  [
    "answered, with a note",
    { tool_input: { questions: [] } },
    { toolu_1: { decision: "allow", answers: { "Which?": "This." }, note: "One was lost." } },
    {
      permissionDecision: "allow",
      updatedInput: { questions: [], answers: { "Which?": "This." } },
      additionalContext: "One was lost.",
    },
  ],
  [
    "denied",
    {},
    { toolu_1: { decision: "deny", message: "Not now." } },
    { permissionDecision: "deny", permissionDecisionReason: "Not now." },
  ],
  ["in a subagent it has no opinion", { agent_id: "a1" }, null, null],
])("%s", async (_, more, answers, expected) => {
  const said = await hooked(more, answers);
  expect(said).toEqual(expected && { hookEventName: "PreToolUse", ...expected });
});

test("a call that a rule matches is left to claude, unless it was answered", async () => {
  const answers: Answers = { toolu_1: { decision: "deny", message: "No." } };
  expect(await hooked({}, null, ["Bash(git *)"])).toBeNull();
  expect(await hooked({}, answers, ["Bash(git *)"])).toMatchObject({ permissionDecision: "deny" });
});

test("S0b: the hook for every call alone defers a call of an earlier turn again, whatever is allowed", async () => {
  const every = ["--every-call"];
  expect(await hooked({}, null, every, "toolu_1")).toMatchObject({ permissionDecision: "defer" });
  expect(await hooked({ tool_use_id: "toolu_2" }, null, every, "toolu_1")).toBeNull();
  expect(await hooked({}, null, [], "toolu_1")).toBeNull();
  const answers: Answers = { toolu_1: { decision: "deny", message: "No." } };
  expect(await hooked({}, answers, every, "toolu_1")).toMatchObject({ permissionDecision: "deny" });
  expect(await hooked({}, answers, [], "toolu_1")).toBeNull();
});
