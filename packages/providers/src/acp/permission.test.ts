import type { Access } from "@reprise/core/session/access";
import { describe, expect, test } from "vitest";
import { answerPermission } from "./permission.ts";
import type { AgentToolCall } from "./protocol.ts";

const options = [
  { optionId: "always", kind: "allow_always" },
  { optionId: "yes", kind: "allow_once" },
  { optionId: "no", kind: "reject_once" },
];
const rules = (level: Access) => ({
  level,
  folder: "/project",
  allowedCommands: ["npm test"],
  hidden: ["/project/.reprise/token"],
});
const links = (path: string) => (path === "/project/link" ? "/etc/passwd" : path);

function allowed(level: Access, toolCall: AgentToolCall, known: AgentToolCall = {}): boolean {
  const { outcome, denied } = answerPermission({ toolCall, options }, known, rules(level), links);
  expect(outcome).toEqual({ outcome: "selected", optionId: denied === null ? "yes" : "no" });
  return denied === null;
}

const edits = (...paths: string[]): AgentToolCall => ({
  kind: "edit",
  locations: paths.map((path) => ({ path })),
});
const runs = (command: string): AgentToolCall => ({ kind: "execute", rawInput: { command } });

describe("what a launch with each access allows", () => {
  const cases: readonly [string, AgentToolCall, read: boolean, edit: boolean][] = [
    ["reads a file", { kind: "read", locations: [{ path: "/etc/hosts" }] }, true, true],
    ["searches", { kind: "search" }, true, true],
    ["edits a file in the folder", edits("/project/a.txt"), false, true],
    ["edits one there and one elsewhere", edits("/project/a.txt", "/etc/passwd"), false, false],
    ["edits a file whose folder only begins alike", edits("/projectshop/a.txt"), false, false],
    ["edits through a link that leads out", edits("/project/link"), false, false],
    ["edits something that it does not name", { kind: "edit" }, false, false],
    [
      "edits what only its input names",
      { kind: "edit", rawInput: { path: "/etc/x" } },
      false,
      false,
    ],
    ["shows a change elsewhere", { kind: "edit", content: [{ path: "/etc/x" }] }, false, false],
    ["deletes a file in the folder", { ...edits("/project/a.txt"), kind: "delete" }, false, true],
    ["runs an allowed command", runs("npm test"), false, true],
    ["runs more than that", runs("npm test; rm -r ."), false, false],
    ["only calls itself an allowed command", { kind: "execute", title: "npm test" }, false, false],
    ["fetches a page", { kind: "fetch" }, false, false],
    ["switches its mode", { kind: "switch_mode" }, false, false],
    ["does something of no kind", { title: "mcp" }, false, false],
    [
      "reads a hidden file",
      { kind: "read", locations: [{ path: "/project/.reprise/token" }] },
      false,
      false,
    ],
  ];
  test.each(cases)("%s", (_, call, read, edit) => {
    expect([allowed("read", call), allowed("edit", call), allowed("full", call)]).toEqual([
      read,
      edit,
      true,
    ]);
  });
});

test("what was said of the call before counts, and what the request says anew", () => {
  const known = { toolCallId: "1", kind: "edit", locations: [{ path: "/project/a.txt" }] };
  expect(allowed("edit", { toolCallId: "1" }, known)).toBe(true);
  expect(allowed("edit", { toolCallId: "1", kind: null, locations: null }, known)).toBe(true);
  expect(allowed("edit", { locations: [{ path: "/etc/passwd" }] }, known)).toBe(false);
});

test("what is denied is named", () => {
  const denied = (toolCall: AgentToolCall) =>
    answerPermission({ toolCall, options }, {}, rules("read"), links).denied;
  expect(denied({ toolCallId: "7", ...runs("touch a") })).toEqual({
    tool: "execute",
    detail: "touch a",
    id: "7",
  });
  expect(denied({ name: "write_file", ...edits("/project/a") })).toEqual({
    tool: "write_file",
    detail: "/project/a",
    id: "write_file /project/a",
  });
});

test("nothing is allowed for ever, but with full access where the agent offers nothing else", () => {
  const toolCall = { kind: "read" };
  const always = options.slice(0, 1);
  const answer = (level: Access, offered: typeof options) =>
    answerPermission({ toolCall, options: offered }, {}, rules(level), links).outcome;
  expect(answer("read", always)).toEqual({ outcome: "cancelled" });
  expect(answer("full", always)).toEqual({ outcome: "selected", optionId: "always" });
  expect(answer("read", [...always, { optionId: "never", kind: "reject_always" }])).toEqual({
    outcome: "selected",
    optionId: "never",
  });
});
