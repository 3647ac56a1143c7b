/** One run of the crash tests: its folder, the processes that bring it to its end, and what must hold then. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { processTable } from "@reprise/providers/launch/process";
import { temporaryFolder } from "../../temporary-folder.ts";
import { lookUp, unsound } from "../database.ts";
import { remaining } from "../deaths.ts";
import { type EndedProcess, runProcess } from "../run-process.ts";
import type { MadeCall } from "./calls.ts";
import { hasEnded } from "./home.ts";
import type { RunProgramInput } from "./program.ts";
import { rules, type Scenario, survives } from "./workflow.ts";

const program = fileURLToPath(new URL("./program.ts", import.meta.url));

export function newScenario(): string {
  const folder = temporaryFolder("crash-run");
  mkdirSync(join(folder, "agent"));
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  return folder;
}

/** One process, and one action. */
export function act(order: RunProgramInput, killAfter?: number): Promise<EndedProcess> {
  return runProcess(program, [JSON.stringify(order)], killAfter);
}

/**
 * Process after process until the run has ended; returns the calls of those that were not killed. `died` is
 * called between one that was and the next.
 */
export async function driveToEnd(
  order: RunProgramInput,
  died: () => Promise<void> | void = () => {},
): Promise<MadeCall[]> {
  const calls: MadeCall[] = [];
  for (let number = 0; !hasEnded(order.folder); number += 1) {
    const drivesBy = number % 2 === 0 ? "recovery" : "id";
    const { dies } = order;
    const { code, signal, stdout, stderr } = await act({
      drivesBy,
      ...order,
      ...(dies && { dies: remaining(order.folder, dies) }),
    });
    assert.equal(stderr, "");
    if (signal === "SIGKILL" && dies) {
      await died();
      continue;
    }
    assert.deepEqual({ code, signal }, { code: 0, signal: null });
    calls.push(...JSON.parse(stdout));
  }
  return calls;
}

/**
 * The same outputs as ever, every turn and script once, every session continued, and nothing left over.
 * `left`: a process let go of an agent that it had not seen begin, so that another attempt was made.
 */
export async function judge(
  folder: string,
  { left = false, of = survives }: { readonly left?: boolean; readonly of?: Scenario } = {},
): Promise<void> {
  judgeEvents(folder, of, left);
  judgeTurns(folder, of, left);
  const ran = readFileSync(join(folder, "shells"), "utf8").trim().split("\n");
  assert.deepEqual(ran.toSorted(), [
    ...of.shells.map((execution) => `began ${execution}`),
    ...of.shells.map((execution) => `ended ${execution}`),
  ]);
  judgeDatabase(folder);
  await judgeProcesses(folder);
}

interface EventRow {
  readonly type: string;
  readonly data: string;
  readonly stream_seq: number;
}

function judgeEvents(
  folder: string,
  { outputs, turns, shells, functions }: Scenario,
  left: boolean,
): void {
  const events = lookUp<EventRow>(
    folder,
    "SELECT type, data, stream_seq FROM event WHERE stream LIKE 'run:%' ORDER BY seq",
  );
  assert.deepEqual(
    events.map(({ stream_seq }) => stream_seq),
    events.map((_, index) => index + 1),
  );
  const named = events.map(({ type, data }) => {
    const { execution = "", attempt = 1, loop, iteration } = JSON.parse(data);
    return `${type} ${loop ? `${loop}/${iteration}` : execution} ${attempt}`;
  });
  assert.deepEqual(named.toSorted(), [...new Set(named)].toSorted());
  const started = named.filter(
    (line) => line.startsWith("node.started") && (line.endsWith(" 1") || !left),
  );
  const works = [...Object.keys(turns), ...shells, ...functions];
  assert.deepEqual(started.toSorted(), works.map((id) => `node.started ${id} 1`).toSorted());
  const last = events.at(-1);
  assert.equal(last?.type, "run.ended");
  const { status, outputs: came } = JSON.parse(last?.data ?? "{}");
  assert.deepEqual({ status, came }, { status: "done", came: outputs });
}

interface LedgerLine {
  readonly event: string;
  readonly pid: number;
  readonly turn?: string;
  readonly history?: number;
  readonly session?: string;
}

/** By the agent's own ledger, which Reprise does not write. */
function judgeTurns(folder: string, { turns, continued }: Scenario, left: boolean): void {
  const rows = lookUp<{ id: string; execution: string; status: string }>(
    folder,
    "SELECT id, status, json_extract(request, '$.origin.execution') AS execution FROM turn",
  );
  const unanswered = rows.filter(({ status }) => status !== "done");
  assert.deepEqual(
    left ? unanswered.filter(({ status }) => status !== "interrupted") : unanswered,
    [],
  );
  const executions = new Map(rows.map(({ id, execution }) => [id, execution]));
  const asked: { execution: string; history: number; session: string }[] = [];
  const ledger = readFileSync(join(folder, "agent", "ledger.jsonl"), "utf8")
    .trim()
    .split("\n");
  const running = new Map<number, string>();
  for (const { event, pid, turn, history, session } of ledger.map(readLine)) {
    if (event === "start") running.set(pid, executions.get(turn ?? "") ?? `unknown turn ${turn}`);
    if (event === "model")
      asked.push({ execution: running.get(pid)!, history: history!, session: session! });
  }
  const started = ledger.map(readLine).filter(({ event }) => event === "start");
  assert.equal(started.length, Object.keys(turns).length);
  assert.deepEqual(
    asked.map(({ execution, history }) => `${execution} ${history}`).toSorted(),
    Object.entries(turns)
      .map(([execution, history]) => `${execution} ${history}`)
      .toSorted(),
  );
  const sessionOf = (wanted: string) =>
    asked.find(({ execution }) => execution === wanted)?.session;
  for (const [first, second] of continued) assert.equal(sessionOf(second), sessionOf(first));
  const sessions = new Set(asked.map(({ session }) => session));
  assert.equal(sessions.size, Object.keys(turns).length - continued.length);
}

function readLine(line: string): LedgerLine {
  return JSON.parse(line);
}

function judgeDatabase(folder: string): void {
  const left = {
    unsound: unsound(folder),
    turns: lookUp(folder, "SELECT id FROM turn WHERE ended_at IS NULL"),
    leases: lookUp(folder, "SELECT name FROM lease"),
    holds: lookUp(folder, "SELECT key, holder FROM hold"),
    items: lookUp(folder, "SELECT id FROM inbox_item WHERE resolved_at IS NULL"),
    due: lookUp(folder, "SELECT id FROM due"),
    owned: lookUp(folder, "SELECT id FROM run WHERE owner IS NOT NULL OR ended_at IS NULL"),
  };
  assert.deepEqual(
    Object.entries(left).filter(([, rows]) => rows.length > 0),
    [],
  );
}

/** All that a run starts works in its folder. */
async function judgeProcesses(folder: string): Promise<void> {
  for (;;) {
    const rows = processTable.rowsWith(`PWD=${folder}`);
    // A shim whose agent has ended has written that down, and is about to leave.
    const working = rows.filter(({ command }) => !command.includes("reprise-turn"));
    assert.deepEqual(working, []);
    if (rows.length === 0) return;
    await setTimeout(5);
  }
}
