/**
 * The machine loses its power while a turn is sent. Of the database only what was promised is left, and no
 * process lives: a turn that no caller heard of, and that started nothing, may be gone and is sent again;
 * no other is. To replay one moment: `REPRISE_CRASH_POINT=12 npx vitest run test/crash/power-loss.test.ts`.
 */

import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type LedgerLine, ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TurnCall, TurnKillPoint } from "./calls.ts";
import { lookUp, unsound } from "./database.ts";
import { losePower, numbersIn } from "./disk.ts";
import type { TurnProgramInput } from "./program.ts";
import { endProcesses } from "./reboot.ts";
import { runProgram } from "./run-program.ts";
import { newScenario, prompts } from "./scenario.ts";

const chosen = process.env.REPRISE_CRASH_POINT;
let folder: string;
/** Numbers of events that a reader may have seen, and that are gone. */
let lost: number[];

beforeEach(() => {
  folder = newScenario();
  lost = [];
});

afterEach(async () => {
  await endProcesses(folder);
  rmSync(folder, { recursive: true });
});

/** Continues in the same home, to the end. */
async function goOn(order: Partial<TurnProgramInput> = {}): Promise<void> {
  const ended = await runProgram({ folder, keepsDurable: true, ...order });
  expect(ended).toMatchObject({ code: 0, signal: null, stderr: "" });
}

/** Continues to the point where the power is lost; returns the types of the events that are gone. */
async function losesPower(
  point: TurnKillPoint,
  order: Partial<TurnProgramInput> = {},
): Promise<string[]> {
  const ended = await runProgram({ folder, keepsDurable: true, ...order, dies: [point] });
  expect(ended).toMatchObject({ signal: "SIGKILL", stderr: "" });
  const types = new Map(
    lookUp<{ seq: number; type: string }>(folder, "SELECT seq, type FROM event").map(
      ({ seq, type }) => [seq, type],
    ),
  );
  const gone = await losePower(folder);
  lost.push(...gone);
  judgeTraces();
  return gone.map((seq) => types.get(seq)!);
}

interface TurnRow {
  readonly id: string;
  readonly status: string;
  readonly prompt: string;
  /** How many of its attempts are known to have been launched. */
  readonly launches: number;
}

function turns(): TurnRow[] {
  return lookUp(
    folder,
    `SELECT id, status, json_extract(request, '$.prompt') AS prompt,
       (SELECT count(*) FROM attempt WHERE turn = turn.id AND launch IS NOT NULL) AS launches
     FROM turn ORDER BY seq`,
  );
}

/** What callers heard of turns. */
function heard(): Pick<TurnRow, "id" | "status">[] {
  const file = join(folder, "heard");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

interface Sent {
  readonly turn: string;
  readonly prompt: string;
  readonly history: number;
}

/** By the agent's own ledger, which Reprise does not write: the turn of each launch, and what the model was sent. */
function witnessed(): { readonly started: string[]; readonly sent: Sent[]; readonly said: string } {
  const file = ledgerPath(join(folder, "agent"));
  const lines: LedgerLine[] = existsSync(file) ? readLedger(file) : [];
  const running = new Map<number, string>();
  const started: string[] = [];
  const sent: Sent[] = [];
  for (const { event, pid, turn, prompt, history } of lines) {
    if (event === "start") {
      running.set(pid, String(turn));
      started.push(String(turn));
    }
    // Reprise adds what is before the prompt itself.
    if (event === "model")
      sent.push({
        turn: running.get(pid)!,
        prompt: String(prompt).split("\n").at(-1)!,
        history: Number(history),
      });
  }
  return {
    started,
    sent,
    said: String(lines.findLast(({ event }) => event === "answer")?.text),
  };
}

/** The attempts that kept aside what they found of the provider's files. */
function aside(): string[] {
  const paths = globSync("home/found/*/*", { cwd: folder });
  return paths.map((path) => `${basename(dirname(path))}/${basename(path)}`);
}

/** Whatever was lost: every turn that left a trace, or that a caller heard of, is known. */
function judgeTraces(): void {
  const known = new Map(turns().map((turn) => [turn.id, turn]));
  const { started, sent } = witnessed();
  for (const turn of new Set(started)) {
    const launches = started.filter((each) => each === turn).length;
    expect(known.get(turn)?.launches, `launches of ${turn}`).toBeGreaterThanOrEqual(launches);
  }
  expect(sent.map(({ turn }) => turn)).toEqual([...new Set(sent.map(({ turn }) => turn))]);
  for (const turn of heard()) expect(known.get(turn.id)).toMatchObject({ status: turn.status });

  const attempts = lookUp<{ attempt: string }>(
    folder,
    "SELECT turn || '/' || number AS attempt FROM attempt",
  ).map(({ attempt }) => attempt);
  expect(aside().filter((attempt) => !attempts.includes(attempt))).toEqual([]);
  expect(unsound(folder)).toEqual([]);
}

/** Each prompt was answered once, by a session that forgot nothing, and nothing is left over. */
function judgeEnd(asked: readonly string[] = prompts): void {
  const known = turns().map(({ id }) => id);
  const spooled = globSync("home/turns/*", { cwd: folder }).map((path) => basename(path));
  expect(spooled.filter((id) => !known.includes(id))).toEqual([]);
  judgeTraces();
  const done = turns().filter(({ status }) => status === "done");
  expect(done.map(({ prompt }) => prompt)).toEqual(asked);
  const { sent, said } = witnessed();
  const answered = sent.filter(({ turn }) => done.some(({ id }) => id === turn));
  expect(answered.map(({ prompt }) => prompt)).toEqual(asked);
  // Restored for the third, and a new one for the fourth.
  expect(answered.map(({ history }) => history)).toEqual([0, 2, 4, 0, 2].slice(0, asked.length));
  expect(said).toBe("APPLE-739");
  // What was cut off, and may have run, is marked as such.
  const messages = lookUp<{ role: string; text: string }>(
    folder,
    "SELECT role, text FROM message WHERE origin <> 'unconfirmed' ORDER BY seq",
  );
  expect(messages).toHaveLength(2 * asked.length);
  expect(messages.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(asked);
  expect(lookUp(folder, "SELECT id FROM turn WHERE ended_at IS NULL")).toEqual([]);
  expect(lookUp(folder, "SELECT name FROM lease")).toEqual([]);
  expect(numbersIn(folder).filter((seq) => lost.includes(seq))).toEqual([]);
}

const nothing: readonly string[] = [];
const opened = ["turn.opened"];
const launched = {
  "store.recordLaunch": nothing,
  "launcher.start": nothing,
  "launcher.follow": nothing,
  "store.finishTurn": nothing,
};

/** The verbs that write and the steps of a launch, with the events that a loss right after them takes. */
const losses: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "of no turn": { "store.createAgent": nothing },
  "of the first turn": {
    "store.beginTurn": ["session.created", ...opened],
    "launcher.prepare": ["session.created", ...opened],
    ...launched,
  },
  "of a resumed turn": {
    "store.beginTurn": opened,
    "launcher.prepare": opened,
    ...launched,
  },
  // The provider's files are touched after the decision.
  "of a turn with a restored history": {
    "store.beginTurn": opened,
    "store.recordDecision": nothing,
    "store.recordRestore": nothing,
    "launcher.prepare": nothing,
    ...launched,
  },
  "of a second attempt": {
    "store.endAttempt": nothing,
    "launcher.prepare": nothing,
    ...launched,
  },
};

interface Point {
  readonly number: number;
  readonly call: TurnCall;
  readonly about: string;
  readonly loses: readonly string[];
}

function pointsOf(calls: readonly TurnCall[]): Point[] {
  const names = Object.keys(losses);
  const second = names.at(-1);
  const turns = names.slice(0, -1);
  let about = turns[0];
  let openings = 0;
  return calls.flatMap((call, index) => {
    const { name } = call;
    if (name === "store.beginTurn") {
      openings += 1;
      about = turns[openings];
    }
    if (name === "store.endAttempt") about = second;
    const loses = about && losses[about]?.[name];
    return loses ? [{ number: index + 1, call, about: about!, loses }] : [];
  });
}

const undisturbed = newScenario();
const points = pointsOf((await runProgram({ folder: undisturbed })).calls);
rmSync(undisturbed, { recursive: true });

test("the turns make all the calls that matter", () => {
  const wanted = Object.entries(losses).flatMap(([about, calls]) =>
    Object.keys(calls).map((name) => `${name} ${about}`),
  );
  expect(points.map(({ call, about }) => `${call.name} ${about}`)).toEqual(wanted);
});

test.each(points.filter(({ number }) => chosen === undefined || number === Number(chosen)))(
  "power is lost after call $number, $call.name $about",
  async ({ call, loses }) => {
    expect(await losesPower({ when: "after", ...call })).toEqual(loses);
    await goOn();
    judgeEnd();
  },
);

test("a file that was kept aside is of a turn that is known", async () => {
  // The provider's files were restored, and that is not recorded yet.
  expect(await losesPower({ when: "before", name: "store.recordRestore" })).toEqual(nothing);
  const cutOff = turns().at(-1);
  expect(aside()).toEqual([`${cutOff?.id}/1`]);
  await goOn();
  expect(aside()).toContain(`${cutOff?.id}/1`);
  judgeEnd();
});

const [remember, recall] = [prompts[0]!, prompts.at(-1)!];

test("a turn that its caller saw queued is there, and runs", async () => {
  const order = { prompts: [remember], busy: "queue" } as const;
  expect(await losesPower({ when: "after", name: "store.beginTurn" }, order)).toEqual(nothing);
  expect(turns()).toMatchObject([{ status: "running", prompt: remember, launches: 0 }]);
  await goOn({ prompts: [recall] });
  judgeEnd([remember, recall]);
});

test("a turn that its caller saw opened is there, and is reported as cut off", async () => {
  const order = { prompts: [remember], listens: true };
  expect(await losesPower({ when: "after", name: "store.beginTurn" }, order)).toEqual(nothing);
  await goOn({ prompts: [remember, recall] });
  expect(turns().map(({ status }) => status)).toEqual(["interrupted", "done", "done"]);
  judgeEnd([remember, recall]);
});

test("a turn that its caller saw skipped is there", async () => {
  const rules = [{ when: { prompt: "ask" }, do: [{ ask: "Which one?" }] }];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  await goOn({ prompts: ["ask"] });
  const order = { prompts: ["echo skipped"], busy: "skip" } as const;
  // The last call before its caller hears of it.
  expect(await losesPower({ when: "after", name: "store.beginTurn" }, order)).toEqual(nothing);
  expect(turns().map(({ status }) => status)).toEqual(["waiting", "skipped"]);
  judgeTraces();
});

/** How often each turn has had an owner. */
function tokens(): number[] {
  return lookUp<{ token: number }>(folder, "SELECT token FROM turn ORDER BY seq").map(
    ({ token }) => token,
  );
}

test("power is lost again and again while a turn that was not started is settled", async () => {
  await losesPower({ when: "after", name: "store.recordLaunch" });
  expect(tokens()).toEqual([1]);
  for (const name of ["store.takeOver", "launcher.withdraw"]) {
    await losesPower({ when: "after", name });
    // The process that took it over is forgotten.
    expect(tokens()).toEqual([1]);
  }
  expect(await losesPower({ when: "after", name: "store.finishTurn" })).toEqual(nothing);
  const [cutOff] = turns();
  expect(cutOff).toMatchObject({ status: "interrupted" });
  await goOn();
  expect(witnessed().started).not.toContain(cutOff?.id);
  judgeEnd();
});

test("power is lost again and again while a turn that was answered is settled", async () => {
  await losesPower({ when: "after", name: "launcher.follow" });
  for (const name of ["store.takeOver", "launcher.follow"]) {
    await losesPower({ when: "after", name });
    expect(tokens()).toEqual([1]);
  }
  expect(await losesPower({ when: "after", name: "store.finishTurn" })).toEqual(nothing);
  await goOn();
  expect(turns().map(({ prompt }) => prompt)).toEqual(prompts);
  judgeEnd();
});
