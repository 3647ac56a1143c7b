import { expect, test } from "vitest";
import { namedNeeds } from "./cli.ts";
import { commandPath, examplesOf, leaves } from "./help.ts";
import { createProgram, runProgram } from "./program.ts";
import { testSurroundings } from "./test-surroundings.ts";

async function run(...argv: string[]) {
  const surroundings = testSurroundings({ cwd: "/", env: { REPRISE_HOME: "/dev/null/nowhere" } });
  const code = await runProgram(argv, surroundings);
  return { code, stdout: surroundings.stdoutText(), stderr: surroundings.stderrText() };
}

const program = createProgram(() => async () => {});

test("the commands are these", () => {
  expect(leaves(program).map((command) => commandPath(command).slice("reprise ".length))).toEqual([
    "send",
    "why",
    "run",
    "inbox",
    "approve",
    "reject",
    "answer",
    "runs",
    "show",
    "logs",
    "cancel",
    "rerun",
    "session list",
    "session show",
    "session send",
    "session finish",
    "session explain",
    "session verify",
    "session fork",
    "session move",
    "session export",
    "session import",
    "session open",
    "session compact",
    "session set",
    "session hold",
    "session release",
    "session archive",
    "session revive",
    "session prune",
    "session restore",
    "session purge",
    "explain",
    "agent create",
    "agent use",
    "agent list",
    "agent show",
    "agent set",
    "provider list",
    "provider show",
    "provider matrix",
    "usage",
    "workflow validate",
    "workflow graph",
    "workflow fmt",
    "workflow migrate",
    "workflow schema",
    "status",
    "up",
    "down",
    "token create",
    "token list",
    "token rotate",
    "token revoke",
    "passphrase set",
    "passphrase list",
    "passphrase remove",
    "webhook add",
    "webhook list",
    "webhook remove",
    "webhook deliveries",
    "webhook replay",
    "mcp",
    "doctor",
    "protect on",
    "protect off",
    "protect scan",
    "protect status",
    "protect forget",
    "config show",
    "config set",
    "config unset",
    "config path",
    "backup",
    "restore",
    "migrate",
    "completion",
    "demo",
  ]);
});

test.each(leaves(program).map((command) => [commandPath(command), command] as const))(
  "%s --help has examples of itself",
  async (path, command) => {
    expect(examplesOf(command).some((line) => line.includes(path))).toBe(true);
    const { code, stdout, stderr } = await run(...path.split(" ").slice(1), "--help");
    expect(code).toBe(0);
    expect(stderr).toBe("");
    expect(stdout).toContain(`Usage: ${path}`);
    expect(stdout).toContain(`Examples:\n  $ ${examplesOf(command)[0]}`);
    expect(stdout).toContain("Global options:");
  },
);

test("L5: without a command the help is printed: everyday commands first, then all others in groups", async () => {
  const { code, stdout } = await run();
  expect(code).toBe(0);
  const headings = [...stdout.matchAll(/^(\w.*):$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual([
    "Everyday commands",
    "Sessions and agents",
    "Runs and workflows",
    "Server and access",
    "Home and settings",
    "Options",
    "Examples",
    "Exit codes",
  ]);
  const [daily = ""] = stdout.split("Sessions and agents:");
  expect(daily.match(/^ {2}(\w+( \w+)?)(?= [ <[])/gm)?.map((line) => line.trim())).toEqual([
    ...["send", "why", "run", "inbox", "approve", "reject", "answer", "status"],
    ...["session list", "session show"],
  ]);
  for (const command of program.commands)
    expect(stdout).toMatch(new RegExp(`^ {2}${command.name()}\\b`, "m"));
  expect(stdout).toMatch(/Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 /);
});

test.each([
  [["sessions"], `"reprise session" needs a command: list, show, send`],
  [["sesions", "list"], 'Unknown command "sesions". Did you mean sessions?'],
  [["sessions", "sned", "k"], 'Unknown command "sned". Did you mean send?'],
  [["help", "nope"], 'Unknown command "nope".'],
  [["session", "list", "--home"], "The option --home needs a value."],
  [["session", "lst", "--help"], 'Unknown command "lst". Did you mean one of list, ls?'],
  [["completion", "tcsh"], '"tcsh" is not a value for <shell>. Use one of: bash, zsh, fish.'],
  [["token", "create", "a"], "The option --role is missing."],
  [["fork", "k", "n"], `Unknown command "fork". Did you mean "reprise session fork"?`],
  [["purge", "k"], `Unknown command "purge". Did you mean "reprise session purge"?`],
  [["sessions", "send"], "The argument <key> is missing."],
  [["sessions", "send", "k", "hi", "--agnt", "a"], '"--agnt". Did you mean --agent?'],
  [["sessions", "send", "k", "one", "two"], "Put the prompt in quotes."],
  [["sessions", "send", "k", "--- a\n+++ b"], "Write -- before the prompt."],
  [
    ["sessions", "send", "k", "hi", "--busy", "maybe"],
    '"maybe" is not a value for --busy. Use one of: wait, queue, skip, fail.',
  ],
  [
    ["sessions", "send", "k", "hi", "--reseed", "--blank"],
    '"--reseed" cannot be used with option "--blank"',
  ],
  [
    ["sessions", "send", "k", "hi", "--fresh-session", "--blank"],
    'cannot be used with option "--blank"',
  ],
  [["run", "x.yaml", "--reseed", "--blank"], '"--reseed" cannot be used with option "--blank"'],
  [["run", "x.yaml", "--fresh", "--blank"], 'cannot be used with option "--blank"'],
  [["sessions", "send", "k", "hi", "--timeout", "soon"], `"soon" is not a duration.`],
  [["sessions", "send", "no key", "hi"], `"no key" is not a session key.`],
  [["sessions", "send", "k"], "There is no prompt."],
  [["sessions", "send", "k", ""], "The prompt is empty."],
  [["sessions", "explain", "../k"], `"../k" is not a session key.`],
  [["sessions", "show", "-x"], 'Unknown option "-x".'],
  [["sessions", "verify", "k/"], `"k/" is not a session key.`],
  [["sessions", "list", "--limit", "0"], `"0" is not a whole number above zero.`],
  [["sessions", "purge", "k"], "Confirm with --yes."],
  [["sessions", "hold", "k/"], `"k/" is not a session key.`],
  [["sessions", "set", "k"], "There is nothing to set."],
  [
    ["sessions", "prune", "--dry-run", "--enforce"],
    '"--enforce" cannot be used with option "--dry-run"',
  ],
  [["agent", "create", "a"], "Agent a needs a provider, or a class that has one."],
  [["agent", "create", "a", "--provider", "p", "--set", "x"], `"x" is not of the form key=value.`],
  [["agent", "set", "a"], "There is nothing to set."],
  [["agent", "set", "a", "--unset", "x", "--set", "x=1"], `"x" is both set and unset.`],
  [["agent", "set", "a", "--unset", "model", "--model", "m"], `"model" is both set and`],
  [["agent", "set", "a", "--provider", "codex"], 'Unknown option "--provider".'],
  [["agent", "set", "a", "--kind", "backgroud"], "Did you mean background?"],
  [["workflow", "validate"], "The argument <file> is missing."],
  [["workflow", "graph", "a", "--format", "dto"], "Did you mean dot?"],
  [
    ["workflow", "fmt", "a", "--check", "--stdout"],
    '"--check" cannot be used with option "--stdout"',
  ],
  [["workflow", "graph", "."], "is a folder."],
  [["why"], "The argument <turn|key|run> is missing."],
  [["run"], "The argument <file> is missing."],
  [["run", "w.yaml", "--input", "task"], `"task" is not of the form name=value.`],
  [["runs", "--status", "donne"], "Did you mean done?"],
  [["run", "w.yaml", "--input", "a=1", "--input", "a=2"], `"a" is given twice.`],
  [["rerun", "r", "--from", "a", "--from-start"], "cannot be used with option"],
  [["approve"], "The argument <item> is missing."],
])("%j is a usage error: %s", async (argv, sentence) => {
  const { code, stdout, stderr } = await run(...argv);
  expect(stderr).toContain(sentence);
  expect(stderr).toMatch(/^reprise: [^\n]+\n$/);
  expect(stdout).toBe("");
  expect(code).toBe(2);
});

test("with --json a usage error is a document too", async () => {
  const { code, stdout, stderr } = await run("sessions", "sned", "--json");
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toEqual({
    error: {
      code: "unknownCommand",
      message: 'Unknown command "sned".',
      hint: "Did you mean send?",
    },
  });
  expect(stderr).toContain('Unknown command "sned".');
});

test.each([
  [["sessions", "list"], "session list"],
  [["session", "ls"], "session list"],
  [["session", "send"], "session send"],
  [["sessions", "rm"], "session purge"],
  [["agents", "ls"], "agent list"],
  [["tokens", "list"], "token list"],
  [["webhooks", "rm"], "webhook remove"],
  [["workflows", "fmt"], "workflow fmt"],
  [["start"], "up"],
  [["stop"], "down"],
])("L5: %j is another form of %s", async (argv, path) => {
  const { code, stdout } = await run(...argv, "--help");
  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: reprise ${path}`);
});

test("L4: help, help COMMAND, version and -v work", async () => {
  expect((await run("help")).stdout).toBe((await run("--help")).stdout);
  expect((await run("help", "session", "fork")).stdout).toContain("Usage: reprise session fork");
  const version = await run("--version");
  expect(await run("version")).toEqual(version);
  expect(await run("-v")).toEqual(version);
});

test.each([
  [["--home", "", "session", "list"], "--home is empty."],
  [["send", "k", "hi", "--folder", ""], "--folder is empty."],
  [["approve", "k", "--by", " "], "--by is empty."],
  [["session", "list", "--agent="], "--agent is empty."],
])("L2: %j is refused: %s", async (argv, sentence) => {
  const { code, stderr } = await run(...argv);
  expect(stderr).toContain(sentence);
  expect(code).toBe(2);
});

test("L2: every command with a stated need of the home exists", () => {
  const paths = leaves(program).map((command) => commandPath(command).slice("reprise ".length));
  expect(namedNeeds.filter((path) => !paths.includes(path))).toEqual([]);
});

test("L2: an empty HOME is refused", async () => {
  const surroundings = testSurroundings({ cwd: "/", env: { HOME: "" } });
  expect(await runProgram(["session", "list"], surroundings)).toBe(2);
  expect(surroundings.stderrText()).toBe(
    "reprise: The environment variable HOME is empty. Set it to your home folder, or unset it.\n",
  );
});

test("L4: --json and --jsonl exclude each other", async () => {
  const { code, stderr } = await run("run", "w.yaml", "--json", "--jsonl");
  expect(stderr).toContain('Option "--jsonl" cannot be used with option "--json".');
  expect(code).toBe(2);
});

test("--version is the package's version", async () => {
  const version = expect.stringMatching(/^\d+\.\d+\.\d+\n$/);
  expect(await run("--home", "/x", "--version")).toMatchObject({ code: 0, stdout: version });
  expect(await run("sessions", "list", "-V")).toMatchObject({ code: 0, stdout: version });
});
