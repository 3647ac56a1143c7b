/** Bad input gets one clear sentence, its exit code, and changes nothing. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyOf, prepareHome } from "./prepared-home.ts";
import { type CliRefusal, expectRefusal } from "./refusal.ts";
import { TestShell } from "./shell.ts";

const mebibyte = 1024 * 1024;

let prepared: TestShell;
beforeAll(async () => {
  prepared = await prepareHome();
});
afterAll(() => prepared[Symbol.asyncDispose]());

interface Case extends CliRefusal {
  readonly title: string;
  readonly argv: readonly string[];
  readonly input?: string;
  readonly env?: Record<string, string>;
  /** Files in the work folder, where the command is run. */
  readonly files?: Readonly<Record<string, string>>;
}

const send = (...rest: string[]) => ["sessions", "send", ...rest];
const create = (...rest: string[]) => ["agent", "create", ...rest, "--provider", "scripted"];

const unknown: Case[] = [
  {
    title: "an unknown agent, for a new key",
    argv: send("new", "hello", "--agent", "ghost"),
    code: 4,
    error: "no-agent",
    says: "There is no agent ghost. Create it",
  },
  {
    title: "an unknown agent, for a known key",
    argv: send("known", "hello", "--agent", "ghost"),
    code: 4,
    error: "no-agent",
    says: "There is no agent ghost.",
  },
  {
    title: "an unknown agent to explain",
    argv: ["sessions", "explain", "known", "--agent", "ghost"],
    code: 4,
    error: "no-agent",
    says: "There is no agent ghost.",
  },
  {
    title: "an unknown agent to show",
    argv: ["agent", "show", "ghost"],
    code: 4,
    error: "no-agent",
    says: 'There is no agent ghost. "reprise agent list"',
  },
  {
    title: "an unknown agent to change",
    argv: ["agent", "set", "ghost", "--model", "large"],
    code: 4,
    error: "no-agent",
    says: 'There is no agent ghost. "reprise agent list"',
  },
  {
    title: "an unknown agent whose sessions to list",
    argv: ["sessions", "list", "--agent", "ghost"],
    code: 4,
    error: "no-agent",
    says: "There is no agent ghost.",
  },
  {
    title: "a new key without an agent",
    argv: send("new", "hello"),
    code: 2,
    error: "no-agent-named",
    says: "Session new is new, so it needs an agent. Name one with --agent",
  },
  {
    title: "an unknown key to show",
    argv: ["sessions", "show", "nowhere"],
    code: 4,
    error: "no-session",
    says: 'There is no session nowhere. "reprise session list"',
  },
  {
    title: "an unknown key to verify",
    argv: ["sessions", "verify", "nowhere"],
    code: 4,
    error: "no-session",
    says: "There is no session nowhere.",
  },
  {
    title: "an unknown key to purge",
    argv: ["sessions", "purge", "nowhere", "--yes"],
    code: 4,
    error: "no-session",
    says: "There is no session nowhere.",
  },
  {
    title: "an unknown turn",
    argv: ["why", "zzzzzzzzzzzzzzzzzzzz"],
    code: 4,
    error: "nothing-named",
    says: 'There is no run, turn or session zzzzzzzzzzzzzzzzzzzz. "reprise runs" lists the runs,',
  },
  {
    title: "an unknown provider",
    argv: ["agent", "create", "other", "--provider", "scirpted"],
    code: 2,
    error: "no-provider",
    says: 'There is no provider "scirpted". Did you mean "scripted"?',
  },
];

const notAKey = {
  code: 2,
  error: "bad-key",
  says: "is not a session key. Use 1 to 200 letters, digits,",
};
const keys: Case[] = [
  { title: "with a space", argv: send("a b", "hello", "--agent", "coder"), ...notAKey },
  { title: "with a slash", argv: send("../known", "hello", "--agent", "coder"), ...notAKey },
  { title: "without a letter", argv: send("", "hello", "--agent", "coder"), ...notAKey },
  { title: "of 201 letters", argv: send("k".repeat(201), "hi", "--agent", "coder"), ...notAKey },
  { title: "with a space, to show", argv: ["sessions", "show", "a b"], ...notAKey },
  { title: "with a space, to explain", argv: ["sessions", "explain", "a b"], ...notAKey },
  { title: "with a space, to verify", argv: ["sessions", "verify", "a b"], ...notAKey },
  { title: "with a space, to purge", argv: ["sessions", "purge", "a b", "--yes"], ...notAKey },
  { title: "with a space, to ask why", argv: ["why", "a b"], ...notAKey },
];

const prompts: Case[] = [
  {
    title: "no prompt",
    argv: send("known"),
    code: 2,
    error: "no-prompt",
    says: "There is no prompt. Give it as an argument",
  },
  {
    title: "an empty prompt",
    argv: send("known", ""),
    code: 2,
    error: "empty-prompt",
    says: "The prompt is empty. Say what",
  },
  {
    title: "a prompt of white space alone",
    argv: send("known", " \n\t "),
    code: 2,
    error: "empty-prompt",
    says: "The prompt is empty. Say what",
  },
  {
    title: "an empty standard input",
    argv: send("known", "-"),
    code: 2,
    error: "empty-prompt",
    says: "The prompt is empty. Say what",
  },
  {
    title: "a prompt of 9 MiB on standard input",
    argv: send("known", "-"),
    input: "x".repeat(9 * mebibyte),
    code: 2,
    error: "prompt-too-long",
    says: "The prompt is longer than 8 MiB. Put the material into a file",
  },
  {
    title: "a prompt of 9 MiB in a file",
    argv: send("known", "--file", "prompt.md"),
    files: { "prompt.md": "x".repeat(9 * mebibyte) },
    code: 2,
    error: "prompt-too-long",
    says: "The prompt is longer than 8 MiB. Put the material into a file",
  },
  {
    title: "a prompt file that is not there",
    argv: send("known", "--file", "prompt.md"),
    code: 4,
    error: "no-file",
    says: /The prompt file .*prompt\.md does not exist\. Check the path/,
  },
];

const flags: Case[] = [
  {
    title: "both --reseed and --blank",
    argv: send("known", "hello", "--reseed", "--blank"),
    code: 2,
    error: "conflictingOption",
    says: 'Option "--reseed" cannot be used with option "--blank".',
  },
  {
    title: "both --blank and an alias of --reseed",
    argv: send("known", "hello", "--fresh-session", "--blank"),
    code: 2,
    error: "conflictingOption",
    says: 'Option "--reseed" cannot be used with option "--blank".',
  },
  {
    title: "an unknown flag",
    argv: send("known", "hello", "--resed"),
    code: 2,
    error: "unknownOption",
    says: 'Unknown option "--resed". Did you mean --reseed?',
  },
  {
    title: "an unknown command",
    argv: ["sesions", "list"],
    code: 2,
    error: "unknownCommand",
    says: 'Unknown command "sesions". Did you mean sessions?',
  },
  {
    title: "an unknown command of a group",
    argv: ["sessions", "sned", "known", "hello"],
    code: 2,
    error: "unknownCommand",
    says: 'Unknown command "sned". Did you mean send?',
  },
  {
    title: "a command without its group",
    argv: ["fork", "known", "new"],
    code: 2,
    error: "unknownCommand",
    says: `Unknown command "fork". Did you mean "reprise session fork"?`,
  },
  {
    title: "an unknown busy policy",
    argv: send("known", "hello", "--busy", "wiat"),
    code: 2,
    error: "invalidArgument",
    says: '"wiat" is not a value for --busy. Use one of: wait, queue, skip, fail. Did you mean wait?',
  },
  {
    title: "a time-out that is not a duration",
    argv: send("known", "hello", "--timeout", "soon"),
    code: 2,
    error: "bad-duration",
    says: '"soon" is not a duration. Write a whole number',
  },
  {
    title: "--set without a value",
    argv: create("other", "--set", "script"),
    code: 2,
    error: "bad-setting",
    says: '"script" is not of the form key=value. Write --set key=value',
  },
  {
    title: "--set of a setting that the provider does not have",
    argv: create("other", "--set", "scirpt=/script.yaml"),
    code: 2,
    error: "unknown-setting",
    says: 'has no setting "scirpt". Did you mean "script"?',
  },
  {
    title: "a change of an agent that names nothing",
    argv: ["agent", "set", "coder"],
    code: 2,
    error: "nothing-to-set",
    says: "There is nothing to set. Name what to change",
  },
  {
    title: "a change of an agent to a setting that its provider does not have",
    argv: ["agent", "set", "coder", "--model", "large", "--set", "scirpt=/script.yaml"],
    code: 2,
    error: "unknown-setting",
    says: 'has no setting "scirpt". Did you mean "script"?',
  },
  {
    title: "a setting to take from an agent that its provider does not have",
    argv: ["agent", "set", "coder", "--unset", "scirpt"],
    code: 2,
    error: "unknown-setting",
    says: 'has no setting "scirpt". Did you mean "script"?',
  },
  {
    title: "S0j: an agent that exists already",
    argv: create("coder"),
    code: 1,
    error: "agent-exists",
    says: "An agent named coder already exists. Choose another name.",
  },
  {
    title: "an agent name that is none",
    argv: create("a/b"),
    code: 2,
    error: "bad-input",
    says: '"name" is not an agent name. Correct it',
  },
];

const folders: Case[] = [
  {
    title: "a folder that is not there, for a turn",
    argv: send("known", "hello", "--folder", "absent"),
    code: 2,
    error: "folder-missing",
    says: /The folder .*absent does not exist\. Create it, or name another/,
  },
  {
    title: "a folder that is not there, for an agent",
    argv: create("other", "--folder", "absent"),
    code: 2,
    error: "folder-missing",
    says: /The folder .*absent does not exist\. Create it, or name another/,
  },
  {
    title: "a folder that is not there, for a change of an agent",
    argv: ["agent", "set", "coder", "--folder", "absent"],
    code: 2,
    error: "folder-missing",
    says: /The folder .*absent does not exist\. Create it, or name another/,
  },
  {
    title: "a folder that is a file",
    argv: send("known", "hello", "--folder", "notes.txt"),
    files: { "notes.txt": "" },
    code: 2,
    error: "folder-not-a-folder",
    says: /notes\.txt is not a folder\. Name a folder/,
  },
];

/** The user's own file, from the work folder: what is wrong in a project's file is ignored. */
const settings = "../user/.config/reprise/config.yaml";
const files: Case[] = [
  {
    title: "a script that is not there",
    argv: create("other", "--set", "script=/absent.yaml"),
    code: 2,
    error: "bad-script",
    says: /Script \/absent\.yaml cannot be used: .* Correct the script file/,
  },
  {
    title: "a settings file with a wrong name",
    argv: send("known", "hello"),
    files: { [settings]: "maxStrkes: 3\n" },
    code: 2,
    error: "unknown-setting",
    says: /There is no setting "maxStrkes" \(.*config\.yaml\)\. Did you mean "maxStrikes"\?/,
  },
  {
    title: "a settings file with a wrong value",
    argv: send("known", "hello"),
    files: { [settings]: "budget:\n  over: explode\n" },
    code: 2,
    error: "bad-setting",
    says: /"explode" is not a value for budget\.over \(.*config\.yaml\)\. Use one of/,
  },
  {
    title: "a settings file that is not YAML",
    argv: send("known", "hello"),
    files: { [settings]: "maxStrikes: [\n" },
    code: 2,
    error: "bad-config",
    says: /The settings file .*config\.yaml is not valid YAML: .*[^:]\. Correct the file/,
  },
  {
    title: "a settings file without names",
    argv: send("known", "hello"),
    files: { [settings]: "- 3\n" },
    code: 2,
    error: "bad-settings",
    says: /The settings from .*config\.yaml are not names with values\. Write them/,
  },
  {
    title: "a wrong value in the environment",
    argv: send("known", "hello"),
    env: { REPRISE_MAX_STRIKES: "many" },
    code: 2,
    error: "bad-setting",
    says: '"many" is not a value for maxStrikes (environment). Write a whole number',
  },
];

describe.concurrent.each([
  ["what does not exist", unknown],
  ["a key outside of the grammar", keys],
  ["prompts", prompts],
  ["flags and commands", flags],
  ["folders", folders],
  ["files", files],
])("%s", (_, cases) => {
  for (const { title, argv, files = {}, input, env, ...refusal } of cases)
    test(title, async () => {
      await using shell = copyOf(prepared);
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(join(shell.folder, name, ".."), { recursive: true });
        writeFileSync(join(shell.folder, name), content);
      }
      await expectRefusal(shell, argv, refusal, { ...(input && { input }), ...(env && { env }) });
    });
});

describe.concurrent("what goes wrong after the agent was created", () => {
  test("a script that was damaged: a step that does not exist, and no YAML at all", async () => {
    await using shell = new TestShell();
    await shell.createAgent();
    const refusal = { code: 2, error: "bad-script" };
    shell.rules({ do: ["dance"] });
    await expectRefusal(shell, send("new", "hello", "--agent", "coder"), {
      ...refusal,
      says: /Script .* cannot be used: rule 1, step 1: there is no step "dance"\. Correct/,
    });
    writeFileSync(shell.script, "rules: [");
    await expectRefusal(shell, send("new", "hello", "--agent", "coder"), {
      ...refusal,
      says: /Script .* cannot be used: .* at line 1, column \d+\. Correct the script file/,
    });
    expect(shell.ledger()).toEqual([]);
  });

  test.each([
    ["scripted", "no-program"],
    ["codex", "no-program"],
  ])("the program of a %s agent is gone", async (provider, error) => {
    await using shell = new TestShell();
    const binary = join(shell.root, "program");
    writeFileSync(binary, "#!/bin/sh\n", { mode: 0o755 });
    const argv = ["agent", "create", "coder", "--provider", provider, "--set", `binary=${binary}`];
    expect(await shell.run(argv)).toMatchObject({ code: 0 });
    rmSync(binary);
    await expectRefusal(shell, send("new", "hello", "--agent", "coder"), {
      code: 4,
      error,
      says: /program \/.* does not exist\. Install it|There is no program at .* Set binary to/,
    });
  });
});

test.concurrent("without --json there is the sentence alone, and nothing on standard output", async () => {
  await using shell = copyOf(prepared);
  const ended = await shell.run(["sessions", "show", "nowhere"]);
  expect(ended).toMatchObject({
    code: 4,
    stdout: "",
    stderr: expect.stringMatching(/^reprise: There is no session nowhere\. [^\n]+\n$/),
  });
});

test.concurrent("a prompt of 1 MB arrives at the agent whole, from standard input and from a file", async () => {
  await using shell = new TestShell();
  await shell.createAgent();
  const words = (word: string) =>
    `${`${word} `.repeat(1_000_000 / (word.length + 1))}\necho ${word}`;
  const piped = words("piped");
  const filed = words("filed");
  writeFileSync(join(shell.folder, "prompt.md"), filed);

  const first = await shell.run(send("large", "-", "--agent", "coder"), { input: piped });
  expect(first).toMatchObject({ code: 0, stdout: "piped\n" });
  const second = await shell.run(send("large", "--file", "prompt.md"));
  expect(second).toMatchObject({ code: 0, stdout: "filed\n" });
  const sent = shell.ledger("model").map(({ prompt }) => String(prompt));
  expect(sent.map((prompt) => prompt.length > 1_000_000)).toEqual([true, true]);
  expect(sent[0]!.endsWith(piped) && sent[1]!.endsWith(filed)).toBe(true);
});
