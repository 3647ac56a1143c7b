/** One error, three callers: the hint names a method for a program, and a command that parses in a terminal. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import { asCommands, commandsOnly } from "@reprise/core/api/verb-commands";
import { RepriseError } from "@reprise/core/errors/errors";
import { openReprise } from "@reprise/engine/open-reprise";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandGroups } from "../../packages/reprise/src/cli/command-groups.ts";
import { runProgram } from "../../packages/reprise/src/cli/program.ts";
import { testSurroundings } from "../../packages/reprise/src/cli/test-surroundings.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { commandsIn, parse } from "./hinted-commands.ts";
import { serve } from "./served.ts";

const gated = "name: gated\nsteps:\n  ask: { gate: 'Ship it?' }\n";
const failing = "name: failing\nsteps:\n  broken: { shell: exit 3 }\n";
const needy =
  "name: needy\ninputs: { task: { type: string } }\nsteps:\n  a: { shell: 'echo {{ inputs.task }}' }\n";

let folder: string;
let home: string;

beforeAll(async () => {
  folder = temporaryFolder("hints");
  home = join(folder, "home");
  writeFileSync(join(folder, "needy.yaml"), needy);
  const reprise = await openReprise({ home, cwd: folder });
  await reprise.agents.create({ name: "echo", provider: "scripted" });
  for (const key of ["held", "away", "one"])
    await reprise.sessions.send({ key, agent: "echo", prompt: "Hello." });
  await reprise.sessions.hold({ key: "held", by: "ann" });
  await reprise.sessions.archive("away");
  await reprise.runs.start({ source: gated, id: "gated" });
  await reprise.runs.start({ source: failing, id: "failing" });
  await reprise.close();
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The class and the code of the error, how a program provokes it, and how a person does. */
const cases: readonly (readonly [
  expected: string,
  provoke: (reprise: Reprise) => Promise<unknown>,
  argv?: readonly string[],
])[] = [
  [
    "UsageError no-agent-named",
    ({ sessions }) => sessions.send({ key: "new", prompt: "Hello." }),
    ["send", "new", "Hello."],
  ],
  [
    "UsageError folder-missing",
    ({ sessions }) => sessions.send({ key: "one", prompt: "Hello.", folder: "/no/such/folder" }),
    ["send", "one", "Hello.", "--folder", "/no/such/folder"],
  ],
  ["UsageError missing-input", ({ runs }) => runs.start({ source: needy }), ["run", "needy.yaml"]],
  [
    "UsageError bad-input",
    ({ runs }) => runs.rerun({ run: "failing", from: "broken", fromStart: true }),
  ],
  [
    "NotFoundError no-session",
    ({ sessions }) => sessions.show("nope"),
    ["session", "show", "nope"],
  ],
  [
    "NotFoundError no-agent",
    ({ sessions }) => sessions.send({ key: "new", agent: "nope", prompt: "Hello." }),
    ["send", "new", "Hello.", "--agent", "nope"],
  ],
  ["NotFoundError no-turn", ({ turns }) => turns.why("nope")],
  ["NotFoundError no-run", ({ runs }) => runs.show("nope"), ["show", "nope"]],
  ["NotFoundError no-item", ({ inbox }) => inbox.show("nope"), ["inbox", "nope"]],
  [
    "NotFoundError no-hold",
    ({ sessions }) => sessions.release({ key: "held", by: "bob" }),
    ["session", "release", "held", "--by", "bob"],
  ],
  [
    "RefusedError held",
    ({ sessions }) => sessions.purge("held"),
    ["session", "purge", "held", "--yes"],
  ],
  ["BusyError run-not-ended", ({ runs }) => runs.rerun({ run: "gated" }), ["rerun", "gated"]],
  [
    "DeniedError above-max-access",
    ({ agents }) =>
      agents
        .createClass({ name: "all", provider: "scripted", access: "full" })
        .then(() => agents.create({ name: "any", class: "all" })),
    ["agent", "create", "any", "--class", "all"],
  ],
];

/** A command of the terminal in a hint for a program. */
const commandWords = new RegExp(
  String.raw`\breprise (?:${commandGroups.flatMap(([, paths]) => paths).join("|")})\b| --[a-z]`,
);

const rows = cases.map(([expected, provoke, argv = []]) => ({ expected, provoke, argv }));

test.each(rows)("X1: $expected", async ({ expected, provoke, argv }) => {
  const server = await serve({ home, cwd: folder });
  const client = await server.connect();
  try {
    const [fromLibrary, fromClient] = [
      await raised(provoke(server.reprise)),
      await raised(provoke(client)),
    ];
    for (const { name, code, hint } of [fromLibrary, fromClient]) {
      expect(`${name} ${code}`).toBe(expected);
      expect(hint).not.toMatch(commandWords);
    }
    expect(fromClient.hint).toBe(fromLibrary.hint);
  } finally {
    await client.close();
    await server.close();
  }
  if (argv.length === 0) return;
  const surroundings = testSurroundings({ cwd: folder });
  expect(await runProgram(["--home", home, ...argv, "--json"], surroundings)).not.toBe(0);
  const { hint } = JSON.parse(surroundings.stdoutText()).error;
  expect(hint).not.toMatch(/reprise\.\w+|the option|the Reprise command/);
  for (const command of commandsIn(hint)) {
    expect(command).toContain(`reprise --home ${home} `);
    await parse(command);
  }
});

test("X1: errors that are stored with a turn or a run have such hints too", async () => {
  const reprise = await openReprise({ home, cwd: folder });
  const refused = await reprise.sessions.send({ key: "away", prompt: "Hello." });
  await reprise.close();
  expect(refused.error?.hint).toBe(
    'Revive it with reprise.sessions.revive("away"), or use another key.',
  );
  const surroundings = testSurroundings({ cwd: folder });
  await runProgram(["--home", home, "why", "away"], surroundings);
  expect(surroundings.stdoutText()).toContain(`"reprise --home ${home} session revive away"`);
});

test("X1: every command that a hint can name parses", async () => {
  const calls = [
    'reprise.agents.create({ name: "a", provider: NAME })',
    'reprise.agents.createClass({ name: "a", provider: NAME })',
    "reprise.agents.list()",
    "reprise.agents.listClasses()",
    'reprise.agents.set({ name: "a", settings: { home: "/x y" } })',
    "reprise.agents.set({ name: NAME, settings: { binary: PATH } })",
    'reprise.sessions.send({ key: "a", prompt: PROMPT })',
    "reprise.sessions.list()",
    'reprise.sessions.show("a")',
    'reprise.sessions.explain({ key: "a" })',
    'reprise.sessions.verify("a")',
    'reprise.sessions.purge("a", { force: true })',
    'reprise.sessions.fork({ key: "a", newKey: NEWKEY })',
    'reprise.sessions.move({ key: "a", folder: DIR })',
    'reprise.sessions.release({ key: "a", by: "ann" })',
    'reprise.sessions.revive("a")',
    'reprise.turns.why("a")',
    'reprise.turns.cancel("a", { ownerGone: true })',
    "reprise.runs.list()",
    'reprise.runs.show("a")',
    'reprise.runs.cancel({ run: "a" })',
    'reprise.runs.rerun({ run: "a", from: "b" })',
    'reprise.runs.rerun({ run: "a", fromStart: true })',
    "reprise.inbox.list()",
    'reprise.inbox.show("a")',
    'reprise.inbox.answer({ item: "a", choice: "allow", by: NAME })',
    'reprise.inbox.answer({ item: "a", choice: "deny", by: NAME })',
    "reprise.tokens.list()",
    'reprise.tokens.rotate({ name: "a" })',
    "reprise.doctor()",
    "reprise.config()",
  ];
  for (const call of calls) {
    const [command, ...more] = commandsIn(asCommands(call));
    expect([command, more]).toEqual([expect.any(String), []]);
    await parse(command!);
  }
  const paths = commandGroups.flatMap(([, all]) => all);
  for (const command of commandsOnly)
    expect(paths.some((path) => command.startsWith(path))).toBe(true);
});

async function raised(work: Promise<unknown>): Promise<RepriseError> {
  const error = await work.then(
    () => null,
    (raising: unknown) => raising,
  );
  if (!(error instanceof RepriseError)) throw new Error(`no error of Reprise, but ${error}`);
  return error;
}
