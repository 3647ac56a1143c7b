/** Completion in the shells themselves: they read our script, ask the real program, and offer its answers. */

import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, type TestContext, test } from "vitest";
import { inherited } from "../environment.ts";
import { TestShell } from "./shell.ts";

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));
const key = "wf:42:agent:coder";

let shell: TestShell;
let env: Record<string, string>;

beforeAll(async () => {
  shell = new TestShell();
  const bin = shell.newFolder("bin");
  const line = `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(program)} "$@"`;
  writeFileSync(join(bin, "reprise"), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  env = {
    ...inherited,
    PATH: `${bin}:${inherited.PATH}`,
    HOME: shell.newFolder("user"),
    REPRISE_HOME: shell.home,
  };
  await shell.createAgent();
  for (const each of [key, "wf:43:agent:coder", "fix-42"]) {
    const sent = await shell.run(["sessions", "send", each, "echo hi", "--agent", "coder"]);
    expect(sent).toMatchObject({ code: 0 });
  }
  mkdirSync(join(shell.folder, "parser"));
  writeFileSync(join(shell.folder, "plan.md"), "");
});
afterAll(() => shell[Symbol.asyncDispose]());

async function run(command: string, args: string[], context: TestContext): Promise<string[]> {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, { env, cwd: shell.folder });
    expect(stderr).toBe("");
    return stdout.split("\n").filter((line) => line !== "");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return context.skip(`${command} is not installed`);
  }
}

describe("bash", () => {
  /** As readline would: the words as bash takes them apart, and the cursor at the end. */
  function complete(line: string, words: string[], context: TestContext): Promise<string[]> {
    const script = `
      eval "$(reprise completion bash)"
      complete -p reprise >/dev/null || exit 1
      COMP_LINE=$1 COMP_POINT=\${#1} COMP_CWORD=$(($# - 2)) COMP_WORDS=("\${@:2}")
      _reprise 2>&1
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run("bash", ["--norc", "-c", script, "bash", line, ...words], context);
  }

  test("commands", async (context) => {
    expect(await complete("reprise sessions ex", ["reprise", "sessions", "ex"], context)).toContain(
      "explain",
    );
  });

  test("options", async (context) => {
    expect(
      await complete(
        "reprise sessions send --ag",
        ["reprise", "sessions", "send", "--ag"],
        context,
      ),
    ).toEqual(["--agent"]);
  });

  test("keys", async (context) => {
    const words = ["reprise", "sessions", "show", ""];
    expect(await complete("reprise sessions show ", words, context)).toEqual([
      "fix-42",
      key,
      "wf:43:agent:coder",
    ]);
  });

  test.for<[string, string[], string[]]>([
    ["wf", ["wf"], [key, "wf:43:agent:coder"]],
    ["wf:", ["wf", ":"], ["42:agent:coder", "43:agent:coder"]],
    ["wf:42", ["wf", ":", "42"], ["42:agent:coder"]],
    ["wf:42:agent:c", ["wf", ":", "42", ":", "agent", ":", "c"], ["coder"]],
  ])("a key that is begun: %s", async ([typed, split, expected], context) => {
    const words = ["reprise", "why", ...split];
    expect(await complete(`reprise why ${typed}`, words, context)).toEqual(expected);
  });

  test("an agent, as a word and behind =", async (context) => {
    const words = ["reprise", "sessions", "send", "new", "--agent"];
    const line = "reprise sessions send new --agent";
    expect(await complete(`${line} c`, [...words, "c"], context)).toEqual(["coder"]);
    expect(await complete(`${line}=c`, [...words, "=", "c"], context)).toEqual(["coder"]);
  });

  test("files and folders", async (context) => {
    expect(await complete("reprise restore p", ["reprise", "restore", "p"], context)).toEqual(
      expect.arrayContaining(["parser", "plan.md"]),
    );
    const words = ["reprise", "sessions", "send", "k", "--folder", "p"];
    expect(await complete("reprise sessions send k --folder p", words, context)).toEqual([
      "parser",
    ]);
  });

  test("nothing, in silence, where nothing can be", async (context) => {
    const missing = join(shell.root, "nowhere");
    const words = ["reprise", "--home", missing, "sessions", "show", ""];
    expect(await complete(`reprise --home ${missing} sessions show `, words, context)).toEqual([]);
    expect(readdirSync(shell.root)).not.toContain("nowhere");
  });
});

describe("zsh", () => {
  /** The script in zsh itself; what it hands to zsh's own menu is printed instead. */
  function complete(words: string[], context: TestContext): Promise<string[]> {
    const script = `
      compdef() { print -- "compdef $*" }
      _describe() { print -rl -- "\${(@P)argv[-1]}" }
      _files() { print -- "_files $*" }
      eval "$(reprise completion zsh)"
      words=("$@") CURRENT=$# PREFIX=$@[-1]
      _reprise`;
    return run("zsh", ["-fc", script, "zsh", ...words], context);
  }

  test("commands with what they do, keys, agents, folders", async (context) => {
    const [registered, ...explain] = await complete(["reprise", "sessions", "ex"], context);
    expect(registered).toBe("compdef _reprise reprise");
    expect(explain).toContainEqual(expect.stringMatching(/^explain:Show what a turn would decide/));
    expect(await complete(["reprise", "why", "wf:42"], context)).toEqual([
      registered,
      String.raw`wf\:42\:agent\:coder:coder`,
    ]);
    expect(await complete(["reprise", "agent", "show", ""], context)).toEqual([
      registered,
      "coder:scripted",
    ]);
    expect(await complete(["reprise", "demo", "--home", ""], context)).toEqual([
      registered,
      "_files -/",
    ]);
  });
});

describe("fish", () => {
  /** Asks fish what it would offer. */
  function complete(line: string, context: TestContext): Promise<string[]> {
    const script = "reprise completion fish | source; complete --do-complete $argv[1]";
    return run("fish", ["--no-config", "-c", script, line], context);
  }

  test("commands with what they do, keys, agents, files", async (context) => {
    expect(await complete("reprise sessions ex", context)).toContainEqual(
      expect.stringMatching(/^explain\tShow what a turn would decide/),
    );
    expect(await complete("reprise why wf:42", context)).toEqual([`${key}\tcoder`]);
    expect(await complete("reprise agent show ", context)).toEqual(["coder\tscripted"]);
    expect(await complete("reprise restore pl", context)).toContainEqual(
      expect.stringMatching(/^plan\.md/),
    );
    expect(await complete("reprise sessions send k --busy ", context)).toHaveLength(4);
  });
});
