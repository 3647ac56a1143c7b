/** The same commands with a server and without one: they print the same, to the last word. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../../packages/reprise/src/cli/program.ts";
import { testSurroundings } from "../../packages/reprise/src/cli/test-surroundings.ts";
import { inherited } from "../environment.ts";
import { ServedShell } from "./served-shell.ts";

const workflow = `
name: Both ways
inputs:
  what: { type: string, default: nothing }
steps:
  make: { shell: echo made }
  sign-off: { needs: make, gate: { title: "Ship it?", choices: [ship, drop] } }
  shipped: { needs: sign-off, shell: echo "shipped" }
outputs:
  said: shipped.output
`;

/** `ITEM` stands for what waits. */
const commands: readonly string[][] = [
  ["agent", "list"],
  ["agent", "show", "coder"],
  ["agent", "show", "ghost"],
  ["sessions", "list"],
  ["sessions", "send", "k", "remember APPLE-739"],
  ["sessions", "send", "k", "remember APPLE-739", "--agent", "coder"],
  ["sessions", "send", "k", "what did I ask you to remember?"],
  ["sessions", "send", "k", "echo once more", "--folder", "sub", "--reseed", "--json"],
  ["sessions", "send", "bad key", "x"],
  ["sessions", "send", "k", "  "],
  ["sessions", "send", "k", "x", "--folder", "missing"],
  ["sessions", "explain", "k"],
  ["sessions", "explain", "k", "--folder", "sub"],
  ["sessions", "list"],
  ["sessions", "show", "k"],
  ["sessions", "verify", "k"],
  ["why", "k"],
  ["why", "nothing"],
  ["sessions", "fork", "k", "f"],
  ["sessions", "hold", "k", "--by", "ana"],
  ["sessions", "purge", "k", "--yes"],
  ["sessions", "release", "k", "--by", "ana"],
  ["sessions", "archive", "k"],
  ["sessions", "send", "k", "x"],
  ["sessions", "revive", "k"],
  ["sessions", "set", "k", "archiveAfter=30d"],
  ["sessions", "export", "k", "k.bundle"],
  ["sessions", "import", "k.bundle", "--key", "imported"],
  ["sessions", "prune"],
  ["usage"],
  ["config", "show", "--json"],
  ["run", "../flow.yaml", "--dry-run"],
  ["run", "../missing.yaml"],
  ["run", "../flow.yaml", "--id", "r1"],
  ["runs"],
  ["inbox"],
  ["inbox", "--json"],
  ["inbox", "ITEM"],
  ["approve", "nothing"],
  ["answer", "ITEM", "burn"],
  ["approve", "ITEM", "--by", "ana"],
  ["approve", "ITEM", "--by", "ana"],
  ["show", "r1"],
  ["logs", "r1"],
  ["rerun", "r1", "--from-start", "--jsonl"],
  ["cancel", "r1"],
  ["runs", "--json"],
  ["sessions", "purge", "f", "--yes"],
];

test("commands print the same through a server as without one", async () => {
  const shells = [ServedShell.open(), ServedShell.open()] as const;
  const [served, alone] = shells;
  for (const shell of shells) {
    shell.newFolder("work/sub");
    shell.newFile("flow.yaml", workflow);
    await shell.createAgent();
  }
  const server = await served.up("--log-level", "info");
  const printed: Printed[][] = [[], []];
  for (const argv of commands)
    await Promise.all(shells.map(async (shell, n) => printed[n]?.push(await run(shell, argv))));
  expect(printed[0]).toEqual(printed[1]);
  expect(alone.record()).toBeNull();
  server.child.kill("SIGTERM");
  const { stderr } = await server.ended;
  const routes = new Set(stderr.match(/"route":"[\w.]+"/g));
  // It was really asked.
  for (const name of [
    "sessions.send",
    "runs.start",
    "inbox.answer",
    "runs.continue",
    "sessions.fork",
  ])
    expect(routes).toContain(`"route":"${name}"`);
});

interface Printed {
  readonly command: string;
  readonly code: number;
  readonly stdout: unknown;
  readonly stderr: unknown;
}

async function run(shell: ServedShell, argv: readonly string[]): Promise<Printed> {
  const said = await type(shell, argv);
  if (argv.join(" ") === "inbox --json") items.set(shell, JSON.parse(said.stdout)[0].id);
  const plain = (text: string) => withoutChance(text.replaceAll(shell.root, "ROOT"));
  const [stdout, stderr] = [plain(said.stdout), plain(said.stderr).split("\n")];
  const printed = { command: argv.join(" "), code: said.code, stderr };
  // The order of the names in a document says nothing.
  if (argv.includes("--json")) return { ...printed, stdout: JSON.parse(stdout) };
  const lines = stdout.trimEnd().split("\n");
  return {
    ...printed,
    stdout: argv.includes("--jsonl") ? lines.map((line) => JSON.parse(line)) : lines,
  };
}

async function type(shell: ServedShell, argv: readonly string[]) {
  const surroundings = testSurroundings({
    cwd: shell.folder,
    env: {
      ...inherited,
      HOME: join(shell.root, "user"),
      TMPDIR: join(shell.root, "tmp"),
      REPRISE_HOME: shell.home,
      // As the server has it: with other settings a command does not go through it.
      REPRISE_MAX_AGENTS: "50",
      USER: "ana",
    },
  });
  const words = argv.map((word) => (word === "ITEM" ? items.get(shell)! : word));
  const code = await runProgram(words, surroundings);
  return { code, stdout: surroundings.stdoutText(), stderr: surroundings.stderrText() };
}

const items = new Map<ServedShell, string>();

/** Without ids, times and the padding beside them, which differ between the two. */
function withoutChance(text: string): string {
  return (
    text
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID")
      .replaceAll(/\b[0-9a-f]{32,64}\b/g, "DIGEST")
      .replaceAll(/\b[0-9a-hjkmnp-tv-z]{20}\b/g, "ID")
      .replaceAll(/\b[0-9a-hjkmnp-tv-z]{8}\b/g, "SHORT")
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+Z)?)?/g, "TIME")
      .replaceAll(/\b\d{13}\b/g, "0")
      .replaceAll(/\b\d+(\.\d+)? (s|min)\b( ago)?|\b(just )?now\b/g, "AGE")
      .replaceAll(/"(seq|bytes|ms|duration)": ?\d+/g, '"$1": 0')
      .replaceAll(/\d\d:\d\d:\d\d/g, "CLOCK")
      // The server may be the built program.
      .replaceAll(/"[^"]*\bscripted(-agent\.js|\/agent\.ts)"/g, '"AGENT"')
      .replaceAll(/ {2,}|─+/g, "  ")
  );
}
