import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SessionLostError } from "@reprise/core/errors/errors";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { bridgePath } from "../define-provider.ts";
import type { LaunchAccess, LaunchRequest } from "../provider.ts";
import { bySettings } from "../test-access.ts";
import { given } from "./access.ts";
import { starter } from "./bridges.ts";
import { command, interactive } from "./command.ts";
import { escapePrompt } from "./prompt.ts";
import type { StartOrder } from "./start.ts";

const id = "7d1f6c52-3c0e-4a1b-9a55-2f8e0b6c41d3";
const home = "/home/me";
const request: LaunchRequest = {
  agent: { name: "coder", settings: {}, privateFolder: "/private", env: {} },
  binary: "/bin/gemini",
  runtime: { product: "gemini-cli", home, version: "0.61.0", abilities: [] },
  resume: null,
  newId: id,
  folder: "/project",
  model: null,
  access: bySettings,
};
const resumed = { ...request, newId: null, resume: { id, place: home } };
const orderOf = ({ argv }: { argv: readonly string[] }) => JSON.parse(argv[2]!) as StartOrder;
const withAccess = (access: Partial<LaunchAccess>) =>
  command({ ...request, access: { ...bySettings, named: true, ...access } });

describe("command", () => {
  test("a new session has our id, and reads its prompt from standard input", () => {
    const { argv, env } = command(request);
    expect(argv).toEqual([
      process.execPath,
      bridgePath(starter),
      '{"session":null,"policy":null}',
      "/bin/gemini",
      "--output-format=stream-json",
      "--skip-trust",
      "--approval-mode=default",
      `--session-id=${id}`,
    ]);
    expect(env).toEqual({
      GEMINI_CLI_HOME: home,
      GEMINI_CLI_NO_RELAUNCH: "true",
      NO_BROWSER: "true",
    });
  });

  test("a resumed turn differs from a new one by the id alone", () => {
    const { argv } = command(resumed);
    expect(argv.slice(3)).toEqual([...command(request).argv.slice(3, -1), `--resume=${id}`]);
    expect(orderOf({ argv }).session).toEqual({ id, place: home });
  });

  test.each(["latest", "1", id.toUpperCase(), id.slice(0, 8)])("%j is never resumed", (other) => {
    const resume = { id: other, place: home };
    expect(() => command({ ...resumed, resume })).toThrow(SessionLostError);
  });

  test("the screen is gemini's own", () => {
    expect(interactive(resumed).argv).not.toContain("--output-format=stream-json");
    expect(interactive(resumed).argv).toContain(`--resume=${id}`);
  });

  test("the model is passed on every turn", () => {
    expect(command({ ...resumed, model: "gemini-2.5-pro" }).argv).toContain(
      "--model=gemini-2.5-pro",
    );
  });
});

describe("access", () => {
  test("settings give what their mode allows", () => {
    const modes = [{}, ...["plan", "auto_edit", "yolo"].map((approvalMode) => ({ approvalMode }))];
    expect(modes.map(given)).toEqual([null, "read", "edit", "full"]);
  });

  test("full is yolo if it was named, else the mode of the settings", () => {
    expect(withAccess({ level: "full" }).argv).toContain("--approval-mode=yolo");
    const agent = { ...request.agent, settings: { approvalMode: "auto_edit" } };
    expect(command({ ...request, agent }).argv).toContain("--approval-mode=auto_edit");
  });

  test("read and edit have rules, and do not read the project's settings", () => {
    for (const [level, mode] of [
      ["read", "default"],
      ["edit", "auto_edit"],
    ] as const) {
      const launched = withAccess({ level, hidden: ["/home/me/.reprise"] });
      expect(launched.argv).toContain(`--approval-mode=${mode}`);
      expect(launched.env).toMatchObject({ GEMINI_CLI_TRUST_WORKSPACE: "false" });
      const { policy } = orderOf(launched);
      expect(policy?.folder).toBe("/private");
      expect(policy?.text).toMatch(/toolName = \["run_shell_command",.*\]\ndecision = "deny"/);
    }
  });

  test("folders that may be read are given, but not to write in", () => {
    const folder = temporaryFolder("gemini-readable");
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, "own"));
    const readable = [join(folder, "own"), join(folder, "not-there")];
    const launched = withAccess({ level: "edit", readable });
    expect(launched.argv).toContain(`--include-directories=${readable[0]}`);
    expect(orderOf(launched).policy?.text.match(/toolName = \["write_file"/g)).toHaveLength(2);
  });

  test("a command is allowed as it is written, whatever it has", () => {
    const { policy } = orderOf(
      withAccess({ level: "edit", allowedCommands: ["echo 'a\"b' (c)+", "x".repeat(3000)] }),
    );
    const [, pattern = ""] = /decision = "allow"\npriority = 910\nargsPattern = (.*)/.exec(
      policy!.text,
    )!;
    const matches = new RegExp(JSON.parse(pattern) as string);
    const call = (words: string) => `{\0"command":${JSON.stringify(words)}\0,\0"x":1\0}`;
    expect(matches.test(call("echo 'a\"b' (c)+"))).toBe(true);
    for (const other of ["echo 'a\"b' (c)+; ls", " echo 'a\"b' (c)+", "echo 'a\"b' (c)"])
      expect(matches.test(call(other))).toBe(false);
    // Gemini refuses a longer pattern, and with it the whole file.
    expect(policy!.text.match(/"allow"/g)).toHaveLength(1);
  });
});

test.each([
  ["/clear", "\\/clear"],
  [" ?why", " \\?why"],
  ["<session_context>", "\\<session_context>"],
  ["see @note.txt and me@example.com", "see \\@note.txt and me\\@example.com"],
  ["\\@note.txt @ home", "\\@note.txt @ home"],
  ["-x and a/b?", "-x and a/b?"],
])("the prompt %j is sent as %j", (prompt, sent) => {
  expect(escapePrompt(prompt)).toBe(sent);
  expect(escapePrompt(sent)).toBe(sent);
});
