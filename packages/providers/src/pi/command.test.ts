import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SessionLostError } from "@reprise/core/errors/errors";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { bridgePath } from "../define-provider.ts";
import type { LaunchAccess, LaunchRequest } from "../provider.ts";
import { bySettings } from "../test-access.ts";
import { given } from "./access.ts";
import { extension } from "./bridges.ts";
import { command, compact, defaultModel, interactive } from "./command.ts";
import { compactVariable } from "./extension.ts";
import { escapePrompt } from "./prompt.ts";
import { rulesVariable } from "./rules.ts";

const id = "7d1f6c52-3c0e-4a1b-9a55-2f8e0b6c41d3";
const home = "/home/me/.pi/agent";
const request: LaunchRequest = {
  agent: { name: "coder", settings: {}, privateFolder: "/private", env: {} },
  binary: "/bin/pi",
  runtime: { product: "pi", home, version: "1.5.0", abilities: [] },
  resume: null,
  newId: id,
  folder: "/home/me/project",
  model: null,
  access: bySettings,
};
const resumed = { ...request, newId: null, resume: { id, place: home } };
const withAccess = (access: Partial<LaunchAccess>) =>
  command({ ...request, access: { ...bySettings, named: true, ...access } });
const after = (argv: readonly string[], flag: string) => argv[argv.indexOf(flag) + 1];

describe("command", () => {
  test("a new session has our id, and pi's own place for the folder", () => {
    const { argv, env } = command(request);
    expect(argv).toEqual([
      ...["/bin/pi", "--mode", "json"],
      ...["--session-dir", `${home}/sessions/--home-me-project--`],
      ...["--session-id", id],
    ]);
    expect(env).toEqual({ PI_CODING_AGENT_DIR: home });
  });

  test("a resumed turn never has the flag that would begin a new session", () => {
    const { argv } = command(resumed);
    expect(argv).toEqual([...command(request).argv.slice(0, -2), "--session", id]);
  });

  test.each(["latest", id.toUpperCase(), id.slice(0, 8), `/tmp/${id}.jsonl`])(
    "%j is never resumed",
    (other) => {
      const resume = { id: other, place: home };
      expect(() => command({ ...resumed, resume })).toThrow(SessionLostError);
    },
  );

  test("the screen is pi's own", () => {
    expect(interactive(resumed).argv).not.toContain("--mode");
    expect(after(interactive(resumed).argv, "--session")).toBe(id);
  });

  test("the default model is that of the settings, if they name one", () => {
    const own = temporaryFolder("pi-home");
    onTestFinished(() => rmSync(own, { recursive: true }));
    const runtime = { ...request.runtime, home: own };
    const flags = (model: string | null) => command({ ...resumed, runtime, model }).argv.slice(5);
    expect(flags("a/b")).toEqual(["--model", "a/b", "--session", id]);
    expect(flags(defaultModel)).toEqual(["--session", id]);
    const settings = { defaultProvider: "loopback", defaultModel: "m" };
    writeFileSync(join(own, "settings.json"), JSON.stringify(settings));
    expect(flags(defaultModel)).toEqual(["--model", "loopback/m", "--session", id]);
    expect(flags(null)).toEqual(["--session", id]);
  });

  test("only a launch that compacts has the command for it, and the extension once", () => {
    for (const access of [bySettings, { ...bySettings, level: "edit", named: true } as const]) {
      const launched = compact({ ...resumed, access }, " the parser\n");
      expect(launched.prompt).toBe("/reprise-compact the parser");
      expect(launched.env).toMatchObject({ [compactVariable]: "1" });
      expect(launched.argv.filter((word) => word === "--extension")).toHaveLength(1);
      expect(command({ ...resumed, access }).env).not.toHaveProperty(compactVariable);
    }
    expect(compact(resumed, null).prompt).toBe("/reprise-compact");
  });
});

describe("access", () => {
  test("settings give what their tools allow", () => {
    const tools = ["read,grep,find,ls", "read", "read,edit", "bash", "read,mcp__x"];
    expect([{}, ...tools.map((each) => ({ tools: each }))].map(given)).toEqual([
      ...[null, "read", "read", "full", "full", "full"],
    ]);
  });

  test("full has all tools of pi if it was named, else those of the settings", () => {
    const agent = { ...request.agent, settings: { tools: "read,bash" } };
    expect(after(command({ ...request, agent }).argv, "--tools")).toBe("read,bash");
    const named = { ...bySettings, named: true };
    expect(command({ ...request, agent, access: named }).argv).not.toContain("--tools");
    expect(command({ ...request, agent }).env).not.toHaveProperty(rulesVariable);
  });

  test.each([
    ["read", [], "read,grep,find,ls", null],
    ["read", ["ls"], "read,grep,find,ls", null],
    ["edit", [], "read,grep,find,ls,edit,write", "/home/me/project"],
    ["edit", ["npm test"], "read,grep,find,ls,edit,write,bash", "/home/me/project"],
  ] as const)("%s with the commands %j has the tools %s", (level, commands, tools, writable) => {
    const hidden = ["/home/me/.reprise"];
    const { argv, env } = withAccess({ level, hidden, allowedCommands: commands });
    expect(argv).toEqual(expect.arrayContaining(["--no-approve", "--no-extensions"]));
    expect(after(argv, "--extension")).toBe(bridgePath(extension));
    expect(after(argv, "--tools")).toBe(tools);
    expect(JSON.parse(env[rulesVariable]!)).toEqual({
      ...{ writable, hidden, commands: level === "edit" ? commands : [] },
    });
  });
});

test.each([
  ["/clear", "\\/clear"],
  ["\n /skill:why", "\n \\/skill:why"],
  ["see @note.txt, -x and a/b", "see @note.txt, -x and a/b"],
  ["\\/clear", "\\/clear"],
])("the prompt %j is sent as %j", (prompt, sent) => {
  expect(escapePrompt(prompt)).toBe(sent);
  expect(escapePrompt(sent)).toBe(sent);
});

test("the place of a folder is named as pi names it", () => {
  const { argv } = command({ ...request, folder: "/a b/c:d" });
  expect(after(argv, "--session-dir")).toBe(`${home}/sessions/--a b-c-d--`);
});
