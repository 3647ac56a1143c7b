import { SessionLostError } from "@reprise/core/errors/errors";
import { describe, expect, test } from "vitest";
import type { LaunchRequest } from "../provider.ts";
import { bySettings } from "../test-access.ts";
import { command, compact, interactive } from "./command.ts";

const id = "01a1ddf1-cfc9-7c53-bac8-de4e7dd04c0b";
const request: LaunchRequest = {
  agent: { name: "coder", settings: {}, privateFolder: "/private", env: {} },
  binary: "/bin/codex",
  runtime: { product: "codex", home: "/home/user/.codex", version: "0.166.0", abilities: [] },
  resume: null,
  newId: null,
  folder: "/work",
  model: null,
  access: bySettings,
};
const fixed = [
  "/bin/codex",
  "exec",
  "--json",
  "--skip-git-repo-check",
  "--sandbox",
  "read-only",
  "--cd=/work",
  "--config=analytics.enabled=false",
  "--disable=plugins",
  "--disable=unbounded_connection_retries",
];

describe("command", () => {
  test("a new session reads its prompt from standard input, in its own home", () => {
    expect(command(request)).toEqual({
      argv: [...fixed, "-"],
      env: { CODEX_HOME: "/home/user/.codex" },
    });
  });

  test("a resumed turn differs from a new one by the id alone", () => {
    const { argv } = command({ ...request, resume: { id, place: "/home/user/.codex" } });
    expect(argv).toEqual([...fixed, "resume", id, "-"]);
  });

  test("a schema for the answer is named by its file, before the session", () => {
    const schema = { text: "{}", file: "/spool/schema" };
    const resume = { id, place: "/home/user/.codex" };
    const { argv } = command({ ...request, resume, schema });
    expect(argv.slice(-3)).toEqual(["resume", id, "-"]);
    expect(argv).toContain("--output-schema=/spool/schema");
  });

  test("a fork names the session that it begins with", () => {
    const resume = { id, place: "/home/user/.codex" };
    expect(command({ ...request, resume, fork: true }).argv).toEqual([...fixed, "fork", id, "-"]);
    const named = { ...resume, id: "not-a-uuid" };
    expect(() => command({ ...request, resume: named, fork: true })).toThrow(SessionLostError);
  });

  describe("a compaction", () => {
    const limit = "--config=model_auto_compact_token_limit=1";
    const resumed = { ...request, resume: { id, place: "/home/user/.codex" } };

    test("is a resumed turn before which codex compacts, with a prompt that asks for nothing", () => {
      const { argv, prompt } = compact(resumed, null);
      expect(argv).toEqual([...fixed, limit, "resume", id, "-"]);
      expect(prompt).toContain("Nothing is asked for now");
    });

    test("overrides the agent's own configuration", () => {
      const settings = { "config.model_auto_compact_token_limit": "9000" };
      const { argv } = compact({ ...resumed, agent: { ...request.agent, settings } }, null);
      expect(argv.slice(fixed.length)).toEqual([
        "--config=model_auto_compact_token_limit=9000",
        limit,
        "resume",
        id,
        "-",
      ]);
    });

    test("passes the focus as one value of codex's configuration", () => {
      const { argv } = compact(resumed, 'the "parser"\nand \\its tests');
      const words = argv.find((word) => word.startsWith("--config=compact_prompt="))!;
      expect(words).not.toContain("\n");
      const value = JSON.parse(words.slice("--config=compact_prompt=".length));
      expect(value).toMatch(/What matters most in what follows:\n\nthe "parser"\nand \\its tests$/);
    });
  });

  test("codex's own screen is opened on the session, with the agent's sandbox and configuration", () => {
    const agent = { ...request.agent, settings: { "config.model_verbosity": "low" } };
    const resume = { id, place: "/home/user/.codex" };
    expect(interactive({ ...request, agent, model: "m", resume })).toEqual({
      argv: [
        "/bin/codex",
        "--no-daemon",
        "--sandbox",
        "read-only",
        "--cd=/work",
        "--model=m",
        "--config=model_verbosity=low",
        "resume",
        id,
      ],
      env: { CODEX_HOME: "/home/user/.codex" },
    });
  });

  test("sandbox, model and configuration come before resume", () => {
    const settings = { sandbox: "bypass", "config.model_verbosity": "low" };
    const { argv } = command({
      ...request,
      agent: { ...request.agent, settings },
      model: "--last",
      resume: { id, place: "/home/user/.codex" },
    });
    expect(argv.slice(4)).toEqual([
      "--dangerously-bypass-approvals-and-sandbox",
      "--cd=/work",
      "--model=--last",
      "--config=analytics.enabled=false",
      "--disable=plugins",
      "--disable=unbounded_connection_retries",
      "--config=model_verbosity=low",
      "resume",
      id,
      "-",
    ]);
  });

  test.each(["", "not-a-uuid", id.slice(0, 8), id.toUpperCase(), "--last", `${id}\n`])(
    "never resumes %j",
    (bad) => {
      expect(() => command({ ...request, resume: { id: bad, place: "/h" } })).toThrow(
        SessionLostError,
      );
    },
  );
});
