/** The inbox at the command line: an agent's question is answered once, and shows by whom and how. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EventView, InboxItemView, RunDetail } from "@reprise/core/api/reprise";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/temporary-folder.ts";
import { runProgram } from "../program.ts";
import { testSurroundings } from "../test-surroundings.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder("inbox");
  const several = [
    { question: "Which database?", options: ["SQLite", "PostgreSQL"] },
    { question: "Which port?", options: ["5432", "5433"] },
  ];
  const rules = [
    { when: { prompt: "choose" }, times: 1, do: [{ ask: "Which database?" }] },
    { when: { prompt: "both" }, times: 1, do: [{ "ask-several": several }] },
  ];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(...argv: string[]) {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    REPRISE_HOME: join(folder, "home"),
    USER: "ana",
    NO_COLOR: "1",
  };
  const surroundings = testSurroundings({ cwd: folder, env });
  const code = await runProgram(argv, surroundings);
  return { code, stdout: surroundings.stdoutText(), stderr: surroundings.stderrText() };
}

async function document<Result>(...argv: string[]): Promise<Result> {
  return JSON.parse((await run(...argv, "--json")).stdout) as Result;
}

/** Starts a run whose agent asks, and returns the id of the item. */
async function asks(): Promise<string> {
  writeFileSync(
    join(folder, "asks.yaml"),
    `name: Asks
steps:
  coder: { agent: scripted, session: coder, settings: { script: script.json }, prompt: choose }
outputs: { text: coder.output }
`,
  );
  const { waitsFor } = await document<RunDetail>("run", "asks.yaml", "--id", "q1");
  return waitsFor[0]!;
}

test("S0j: two questions in one call are shown and answered each by its number", async () => {
  await run(
    "agent",
    "create",
    "coder",
    "--provider",
    "scripted",
    "--set",
    `script=${join(folder, "script.json")}`,
  );
  const sent = await run("send", "setup", "both", "--agent", "coder");
  const item = /reprise answer (\w{8})/.exec(sent.stderr)?.[1] ?? "";
  const questions = [
    "1. Which database?",
    "  - SQLite",
    "  - PostgreSQL",
    "2. Which port?",
    "  - 5432",
    "  - 5433",
  ];
  expect(sent).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(
      [
        "The agent asks, and the turn waits:",
        ...questions.map((line) => `  ${line}`),
        `Answer with: reprise answer ${item} --answer 1="ANSWER" --answer 2="ANSWER"`,
      ].join("\n"),
    ),
  });
  expect((await run("inbox", item)).stdout).toContain(`${questions.join("\n")}\n`);
  expect((await run("inbox")).stdout).toContain("1. Which database? · 2. Which port?");
  const [listed] = await document<InboxItemView[]>("inbox");
  expect(listed?.questions).toEqual([
    { text: "Which database?", options: ["SQLite", "PostgreSQL"] },
    { text: "Which port?", options: ["5432", "5433"] },
  ]);

  const wrong = (...words: string[]) => run("answer", "setup", ...words);
  expect(await wrong("SQLite")).toMatchObject({
    code: 2,
    stderr:
      "reprise: The agent asks 2 questions, and one text does not say which it answers: 1. Which database? · 2. Which port? Give each with --answer NUMBER=ANSWER.\n",
  });
  expect(await wrong("--answer", "1=SQLite", "--answer", "3=5432")).toMatchObject({
    code: 2,
    stderr: 'reprise: The agent did not ask "3". It asks: 1. Which database? · 2. Which port?\n',
  });
  expect(await run("approve", item)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      `reprise answer ${item} --answer 1="ANSWER" --answer 2="ANSWER"`,
    ),
  });
  expect(await wrong("--answer", "2=5432", "--answer", "1=SQLite")).toMatchObject({
    code: 0,
    stdout: "I was answered SQLite\n",
  });
  expect((await run("inbox", item)).stdout).toMatch(/^Which port\? +5432$/m);
});

const events = () => document<EventView[]>("logs", "q1");

test("shows and lists who answered; the same answer again changes nothing, another is refused", async () => {
  const item = await asks();
  expect(await run("answer", item.slice(0, 8), "SQLite", "--by", "ben")).toMatchObject({
    code: 0,
    stdout: "I was answered SQLite\nI was answered SQLite\n",
  });
  const shown = await run("inbox", item.slice(0, 8));
  expect(shown.stdout).toMatch(/^state +SQLite by ben\nsettled +/m);
  expect((await run("inbox", "--all")).stdout).toMatch(
    /^\w{8} +question +Which database\? +run q1 +coder +SQLite by ben /m,
  );
  const [listed] = await document<InboxItemView[]>("inbox", "--all");
  expect(listed).toMatchObject({
    id: item,
    resolution: { how: "answered", by: "ben", values: { "Which database?": "SQLite" } },
  });

  const before = await events();
  for (const what of [item, item.slice(0, 8), "wf:q1:agent:coder"]) {
    expect(await run("answer", what, "SQLite")).toEqual({
      code: 0,
      stdout: "",
      stderr: "It was already answered: SQLite by ben. Nothing changed.\n",
    });
    expect(await run("answer", what, "MySQL")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^reprise: "Which database\?" was already answered: SQLite by ben at /,
      ),
    });
  }
  expect(await document("answer", item, "SQLite")).toMatchObject({
    given: false,
    item: { resolution: { by: "ben" } },
    run: { id: "q1", status: "done" },
  });
  expect(await events()).toEqual(before);
});

test.each(["approve", "reject"])("%s says how a question is answered", async (command) => {
  const item = await asks();
  const before = await events();
  expect(await run(command, item)).toEqual({
    code: 2,
    stdout: "",
    stderr: `reprise: "Which database?" is an agent's question, which yes or no does not answer. Answer it with reprise answer ${item.slice(0, 8)} "ANSWER".\n`,
  });
  expect(await events()).toEqual(before);
});

test("shows the values of a form", async () => {
  const source =
    "name: Form\nsteps:\n  ask: { gate: { title: Ship?, fields: [{ name: version }] } }\n";
  writeFileSync(join(folder, "form.yaml"), source);
  const { waitsFor } = await document<RunDetail>("run", "form.yaml");
  expect((await run("answer", waitsFor[0]!, "--value", "version=1.4")).code).toBe(0);
  expect((await run("inbox", waitsFor[0]!)).stdout).toMatch(
    /^state +approve by ana\nsettled +.*\nversion +1\.4$/m,
  );
});

test("a question whose turn was cancelled is listed as cancelled, and cannot be answered", async () => {
  const item = await asks();
  await run("cancel", "q1");
  expect((await run("inbox", "--all")).stdout).toMatch(/ +cancelled /);
  expect(await run("answer", item, "SQLite")).toMatchObject({
    code: 1,
    stderr: `reprise: "Which database?" is no longer open: its turn is cancelled. "reprise why ${item}" shows what happened to it.\n`,
  });
});

test("an answer as JSON is one document: the run that continued", async () => {
  const item = await asks();
  const answered = await document<RunDetail>("answer", item.slice(0, 8), "SQLite");
  expect(answered).toMatchObject({ id: "q1", status: "done" });
});
