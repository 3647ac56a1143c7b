import { SessionLostError } from "@reprise/core/errors/errors";
import { describe, expect, test } from "vitest";
import { bridgePath } from "../define-provider.ts";
import type { LaunchRequest } from "../provider.ts";
import { bySettings } from "../test-access.ts";
import { questionHook } from "./bridges.ts";
import { command, compact } from "./command.ts";
import { escapePrompt } from "./prompt.ts";

const id = "0f5b1c1e-3a51-4d0c-9b8e-6f3f3c1f2a10";
const home = "/home/user/.claude-coder";
const request: LaunchRequest = {
  agent: { name: "coder", settings: {}, privateFolder: "/private", env: {} },
  binary: "/bin/claude",
  runtime: { product: "claude-code", home, version: "2.1.325", abilities: [] },
  resume: null,
  newId: id,
  folder: "/project",
  model: null,
  access: bySettings,
};
const withSettings = (settings: Record<string, string>, env: Record<string, string> = {}) =>
  command({ ...request, agent: { ...request.agent, settings, env } });
const settingsOf = ({ argv }: { argv: readonly string[] }) =>
  JSON.parse(argv.find((word) => word.startsWith("--settings="))!.slice("--settings=".length));

describe("command", () => {
  test("a new session has our id, and reads its prompt from standard input", () => {
    const { argv, env } = command(request);
    expect(argv.filter((word) => !word.startsWith("--settings="))).toEqual([
      "/bin/claude",
      "--print",
      "--output-format=stream-json",
      "--verbose",
      "--permission-mode=dontAsk",
      "--permission-prompt-tool=stdio",
      `--session-id=${id}`,
    ]);
    expect(env).toEqual({
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "3",
      CLAUDE_DISABLE_ADOPT: "1",
      CLAUDE_CODE_DISABLE_AGENT_VIEW: "1",
      CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
    });
  });

  test("a resumed turn differs from a new one by the id alone", () => {
    const resume = { id, place: home };
    const { argv } = command({ ...request, newId: null, resume });
    expect(argv).toEqual([...command(request).argv.slice(0, -1), `--resume=${id}`]);
  });

  test.each([
    [null, "/compact"],
    ["  ", "/compact"],
    ["the parser\nand its tests", "/compact the parser\nand its tests"],
  ])("a compaction is a resumed turn whose prompt is a command (focus %j)", (focus, prompt) => {
    const resumed = { ...request, newId: null, resume: { id, place: home } };
    expect(compact(resumed, focus)).toEqual({ ...command(resumed), prompt });
  });

  test("a schema for the answer is on the command line, in a new session and a resumed one", () => {
    const schema = { text: '{"type":"object"}', file: "/spool/schema" };
    const flag = '--json-schema={"type":"object"}';
    expect(command({ ...request, schema }).argv).toContain(flag);
    const resume = { id, place: home };
    expect(command({ ...request, newId: null, resume, schema }).argv).toContain(flag);
  });

  test("a folder that may be read is a rule beside those of the agent", () => {
    const agent = { ...request.agent, readable: ["/agents/anna"] };
    const settings = { allowedTools: "Edit" };
    const started = command({ ...request, agent: { ...agent, settings } });
    expect(started.argv).toContain("--allowedTools=Edit");
    expect(settingsOf(started)).toMatchObject({
      permissions: { allow: ["Read(//agents/anna/**)"], deny: [] },
    });
  });

  test("every turn passes what the session does not keep", () => {
    const settings = {
      home,
      permissionMode: "acceptEdits",
      allowedTools: "Edit,Bash(git *)",
      disallowedTools: "WebFetch",
      mcpConfig: "/home/user/mcp.json",
    };
    const agent = { ...request.agent, settings };
    const { argv, env } = command({ ...request, agent, model: "--continue" });
    expect(argv.slice(5)).toEqual([
      "--permission-mode=acceptEdits",
      "--permission-prompt-tool=stdio",
      "--allowedTools=Edit,Bash(git *)",
      "--disallowedTools=WebFetch",
      "--mcp-config=/home/user/mcp.json",
      "--model=--continue",
      `--session-id=${id}`,
    ]);
    expect(env).toMatchObject({ CLAUDE_CONFIG_DIR: home });
  });

  test("the agent's environment overrides the defaults, except for files in a prompt", () => {
    const { env } = withSettings(
      {},
      { CLAUDE_CODE_MAX_RETRIES: "0", CLAUDE_CODE_DISABLE_FILE_MENTIONS: "" },
    );
    expect(env).not.toHaveProperty("CLAUDE_CODE_MAX_RETRIES");
    expect(env).toHaveProperty("CLAUDE_CODE_DISABLE_FILE_MENTIONS", "1");
  });

  test("old sessions are not deleted, and questions go through our hook", () => {
    const { cleanupPeriodDays, hooks } = settingsOf(command(request));
    expect(cleanupPeriodDays).toBeGreaterThan(10_000);
    const run = `'${process.execPath}' '${bridgePath(questionHook)}'`;
    expect(hooks.PreToolUse).toEqual([
      { matcher: "AskUserQuestion", hooks: [{ type: "command", command: run }] },
    ]);
  });

  test("permissions too if set, except for tools that never ask and rules that allow", () => {
    const rules = { permissions: "ask", allowedTools: "Edit, Bash(it's *)" };
    const { hooks } = settingsOf(withSettings(rules));
    const [, { matcher, hooks: own }] = hooks.PreToolUse;
    expect(own[0].command.endsWith(` 'Edit' 'Bash(it'\\''s *)'`)).toBe(true);
    const asked = ["Bash", "Edit", "WebFetch", "mcp__server__tool", "Read", "AskUserQuestion"];
    const matching = (pattern: string) => asked.filter((tool) => new RegExp(pattern).test(tool));
    expect(matching(matcher)).toEqual(["Bash", "Edit", "WebFetch", "mcp__server__tool"]);
    const edits = settingsOf(withSettings({ ...rules, permissionMode: "acceptEdits" })).hooks;
    expect(matching(edits.PreToolUse[1].matcher)).toEqual([
      "Bash",
      "WebFetch",
      "mcp__server__tool",
    ]);
  });

  test("answers are named in the environment", () => {
    const { env } = command({ ...request, answers: "/spool/answers" });
    expect(env).toMatchObject({ REPRISE_ANSWERS: "/spool/answers" });
  });

  test.each(["", "not-a-uuid", id.toUpperCase(), "/home/user/x.jsonl", "--continue", `${id}\n`])(
    "never resumes %j",
    (bad) => {
      const resume = { id: bad, place: home };
      expect(() => command({ ...request, resume })).toThrow(SessionLostError);
    },
  );
});

test.each([
  ["/clear", " /clear"],
  ["/", " /"],
  [" /clear", " /clear"],
  ["a\n/clear", "a\n/clear"],
  ["@note.txt", "@note.txt"],
  ["", ""],
])("%j is sent as %j", (prompt, sent) => {
  expect(escapePrompt(prompt)).toBe(sent);
});
