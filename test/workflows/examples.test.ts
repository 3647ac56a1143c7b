/** Every example runs to its end with nothing but this repository, through the command line. */

import { globSync } from "node:fs";
import { join } from "node:path";
import type { InboxItemView, RunDetail } from "@reprise/core/api/reprise";
import { type LedgerLine, readLedger } from "@reprise/providers/scripted/ledger";
import { expect, onTestFinished, test } from "vitest";
import { TestShell } from "../cli/shell.ts";
import { root } from "./files.ts";

function open(): TestShell {
  const shell = new TestShell();
  onTestFinished(() => shell[Symbol.asyncDispose]());
  return shell;
}

/** A command that gives a document, with its exit code. */
async function document<Result>(shell: TestShell, ...argv: string[]) {
  const { code, stdout, stderr } = await shell.run([...argv, "--json"]);
  if (stdout === "") throw new Error(stderr);
  return { code, result: JSON.parse(stdout) as Result };
}

const start = (shell: TestShell, name: string, ...argv: string[]) =>
  document<RunDetail>(
    shell,
    ...["run", join(root, "examples", name), "--id", "r1", "--folder", root, ...argv],
  );

/** What the agents themselves wrote down of their launches: the provider session, and whether it was resumed. */
function launches(shell: TestShell): LedgerLine[] {
  return globSync("agents/*/scripted/ledger.jsonl", { cwd: shell.home })
    .flatMap((path) => readLedger(join(shell.home, path)))
    .filter(({ event }) => event === "start");
}

const outcomes = ({ executions }: RunDetail) =>
  executions.filter(({ type }) => type === "agent").map(({ id, outcome }) => [id, outcome]);

test("review-loop.yaml: the coder resumes, the reviewer is new each time", async () => {
  const shell = open();
  const { code, result } = await start(shell, "review-loop.yaml");
  expect(code).toBe(0);
  expect(result).toMatchObject({
    status: "done",
    outputs: { iterations: 2, code: expect.stringContaining(".trim()") },
  });
  expect(outcomes(result)).toEqual([
    ["review/1/coder", "blank"],
    ["review/1/reviewer", "blank"],
    ["review/2/coder", "resume"],
    ["review/2/reviewer", "blank"],
  ]);
  const [first, , again, judge] = launches(shell);
  expect(again).toMatchObject({ session: first!.session, resume: true });
  expect(judge).toMatchObject({ resume: false });
});

test("two-loops.yaml: the writer of the first loop makes the fixes in the second", async () => {
  const shell = open();
  const { code, result } = await start(shell, "two-loops.yaml");
  expect(code).toBe(0);
  expect(result).toMatchObject({
    status: "done",
    outputs: { session: "wf:r1:agent:coder", code: expect.stringContaining("match(") },
  });
  expect(outcomes(result)).toEqual([
    ["review/1/coder", "blank"],
    ["review/1/reviewer", "blank"],
    ["review/2/coder", "resume"],
    ["review/2/reviewer", "blank"],
    ["test/1/fixer", "resume"],
    ["test/2/fixer", "resume"],
  ]);
  const [first, , ...others] = launches(shell);
  const resumed = others.filter(({ resume }) => resume === true);
  expect(resumed.map(({ session }) => session)).toEqual(Array(3).fill(first!.session));
});

test("retry-gate.yaml: what failed sends the coder back once", async () => {
  const shell = open();
  const { code, result } = await start(shell, "retry-gate.yaml");
  expect(code).toBe(0);
  expect(result).toMatchObject({
    status: "done",
    outputs: { retries: 1, code: expect.stringMatching(/^\/\/ A title.*\nexport function/) },
  });
  const coders = result.executions.filter(({ node }) => node === "coder");
  expect(coders).toMatchObject([
    { id: "coder", outcome: "blank" },
    { id: "coder~1", outcome: "resume", session: "wf:r1:agent:coder" },
  ]);
});

/** Runs it to its gate; gives the item. */
async function toTheGate(shell: TestShell): Promise<InboxItemView> {
  const { code, result } = await start(shell, "weekend-approval.yaml");
  expect(code).toBe(3);
  expect(result).toMatchObject({ status: "waiting" });
  const { result: items } = await document<InboxItemView[]>(shell, "inbox");
  expect(items).toMatchObject([
    { id: result.waitsFor[0], kind: "approval", choices: ["publish", "rework", "drop"] },
  ]);
  expect(items[0]!.deadline! - items[0]!.openedAt).toBe(3 * 24 * 60 * 60 * 1000);
  return items[0]!;
}

test("weekend-approval.yaml: approved, the author continues its session", async () => {
  const shell = open();
  const { id } = await toTheGate(shell);
  const { code, result } = await document<RunDetail>(shell, "approve", id.slice(0, 8));
  expect(code).toBe(0);
  expect(result).toMatchObject({
    status: "done",
    outputs: { decision: "publish", note: expect.stringMatching(/^Version 2\.0/) },
  });
  const [first, again] = launches(shell);
  expect(again).toMatchObject({ session: first!.session, resume: true });
});

test("weekend-approval.yaml: dropped, nothing more is written", async () => {
  const shell = open();
  const { id } = await toTheGate(shell);
  const { code, result } = await document<RunDetail>(shell, "answer", id, "drop");
  expect(code).toBe(0);
  expect(result).toMatchObject({
    status: "done",
    outputs: { decision: "drop", note: "Nothing was published." },
  });
  expect(launches(shell)).toHaveLength(1);
});

test("docks.yaml: what the poet and the critic left comes back through the dock", async () => {
  const shell = open();
  const task = ["--input", "text=Write two lines about the sea."];
  const { code, result } = await start(shell, "docks.yaml", ...task);
  expect(code).toBe(0);
  expect(result).toMatchObject({
    status: "done",
    outputs: { poem: "I saw a boat upon the sea / and slept beside it by the tree" },
  });
  expect(outcomes(result)).toEqual([
    ["rounds/1/poet", "blank"],
    ["rounds/1/critic", "blank"],
    ["rounds/2/poet", "resume"],
    ["rounds/2/critic", "blank"],
  ]);
  const asked = globSync("agents/*/scripted/ledger.jsonl", { cwd: shell.home })
    .flatMap((path) => readLedger(join(shell.home, path)))
    .filter(({ event }) => event === "model")
    .map(({ prompt }) => String(prompt));
  expect(asked[0]).toBe("Write two lines about the sea.");
  expect(asked[2]).toContain("It does not rhyme");
  expect(asked[2]).not.toContain("about the sea");
});
