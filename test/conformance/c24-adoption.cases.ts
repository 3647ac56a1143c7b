/** C24 for every provider: process ids that belong to another process, and processes that died between two steps. */

import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { identify, withMark } from "@reprise/providers/launch/process";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { Database } from "./database.ts";
import {
  gone,
  key,
  recall,
  type StartSubject,
  type Subject,
  secret,
  signal,
  type TurnRow,
} from "./subject.ts";

const first = { key, agent: "coder", prompt: "echo first" };

/** The last lines of what the model was sent: each prompt of ours is one. */
function asked(subject: Subject): (string | undefined)[] {
  return subject.witness.calls().map(({ prompt }) => prompt.split("\n").at(-1));
}

function lastTurn(subject: Subject): TurnRow {
  return subject.turns().at(-1)!;
}

function owner(subject: Subject, turn: string): { pid: number; start: string } {
  using database = new Database(subject);
  const [row] = database.rows<{ owner: string }>("SELECT owner FROM turn WHERE id = :turn", {
    turn,
  });
  return JSON.parse(row!.owner);
}

/** Reprise and its agent, both killed in the middle of a turn; returns the turn. */
async function killedTogether(subject: Subject): Promise<TurnRow> {
  const hold = subject.hold();
  const caller = subject.caller({ send: first });
  await hold.reached();
  const turn = lastTurn(subject);
  caller.child.kill("SIGKILL");
  await caller.ended;
  killAgent(turn.id);
  await gone(turn.id);
  return turn;
}

/** The agent and its shim at one stroke, so that no exit is recorded. */
function killAgent(turn: string): void {
  const processes = withMark(turn);
  for (const { pid } of processes) signal(pid, "SIGSTOP");
  for (const { pid } of processes) signal(pid, "SIGKILL");
}

async function interruptedAndFree(subject: Subject, turn: string): Promise<void> {
  const { turn: next } = await subject.send(recall);
  expect(next).toMatchObject({ turn: { status: "done" }, output: secret });
  const ended = await subject.reprise.turns.why(turn);
  expect(ended).toMatchObject({ turn: { status: "interrupted" }, output: null });
  expect(asked(subject)).toEqual([`remember ${secret}`, "echo first", recall]);
}

const recycled: Readonly<Record<string, (lines: string[]) => string[]>> = {
  "its number belongs to another process now": ([, ...rest]) => [String(process.pid), ...rest],
  "process and start time are of another boot": ([, , , host]) => [
    String(process.pid),
    identify(process.pid)!.start,
    "another-boot",
    host!,
  ],
};

export function adoption(provider: string, start: StartSubject): void {
  test(`C24/${provider}: an exit that was never recorded ⇒ interrupted, and no caller waits`, async () => {
    await using subject = await start();
    await subject.begin();
    const turn = await killedTogether(subject);
    expect(existsSync(join(subject.spool(turn.id), "exit"))).toBe(false);
    await interruptedAndFree(subject, turn.id);
  });

  test(`C24/${provider}: an exit that is never recorded while the caller watches ⇒ interrupted`, async () => {
    await using subject = await start();
    await subject.begin();
    const hold = subject.hold();
    const sent = subject.send("echo first");
    await hold.reached();
    killAgent(lastTurn(subject).id);
    const { turn } = await sent;
    expect(turn.turn.status).toBe("interrupted");
    await interruptedAndFree(subject, turn.turn.id);
  });

  test(`S19 C24/${provider}: a recorded launch without a spool ⇒ its live agent is ended, and its prompt is not sent again`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const hold = subject.hold();
    const caller = subject.caller({ send: first });
    await hold.reached();
    const turn = lastTurn(subject);
    caller.child.kill("SIGKILL");
    await caller.ended;
    expect(withMark(turn.id)).not.toEqual([]);
    rmSync(join(subject.home, "turns", turn.id), { recursive: true });

    const next = await subject.send(recall);
    expect(withMark(turn.id)).toEqual([]);
    hold.release();
    expect(next.turn).toMatchObject({ turn: { status: "done" }, output: secret });
    expect(next.launches).toMatchObject([{ resumed: id }]);
    expect(next.calls[0]?.prompt).toContain("Your previous turn was cut off.");
    expect(await subject.reprise.turns.why(turn.id)).toMatchObject({
      turn: { status: "interrupted" },
      error: { code: "interrupted", message: expect.stringContaining("its spool is missing") },
    });
    expect(asked(subject)).toEqual([`remember ${secret}`, "echo first", recall]);
  });

  test(`C24/${provider}: a shim that is killed alone ⇒ its agent is waited for, and its answer taken`, async () => {
    await using subject = await start();
    await subject.begin();
    const hold = subject.hold();
    const sent = subject.send("echo first");
    await hold.reached();
    const turn = lastTurn(subject);
    process.kill(
      Number(readFileSync(join(subject.spool(turn.id), "pid"), "utf8").split("\n")[0]),
      9,
    );
    const next = subject.send(recall);
    await until(() => subject.turns().length === 3);
    expect(subject.witness.launches()).toHaveLength(2);
    hold.release();
    expect((await sent).turn).toMatchObject({ turn: { status: "done" }, output: "first" });
    expect((await next).turn).toMatchObject({ turn: { status: "done" }, output: secret });
    expect(existsSync(join(subject.spool(turn.id), "exit"))).toBe(false);
    expect(asked(subject)).toEqual([`remember ${secret}`, "echo first", recall]);
  });

  for (const [what, recycle] of Object.entries(recycled))
    test(`C24/${provider}: a recycled pid: ${what} ⇒ recognised as gone`, async () => {
      await using subject = await start();
      await subject.begin();
      const turn = await killedTogether(subject);
      for (const name of ["pid", "agent"]) {
        const file = join(subject.spool(turn.id), name);
        const lines = readFileSync(file, "utf8").trimEnd().split("\n");
        writeFileSync(file, `${recycle(lines).join("\n")}\n`);
      }
      using database = new Database(subject);
      database.change(
        "UPDATE turn SET owner = json_set(owner, '$.pid', CAST(:pid AS BIGINT)) WHERE id = :id",
        {
          id: turn.id,
          pid: process.pid,
        },
      );
      await interruptedAndFree(subject, turn.id);
    });

  test(`C24/${provider}: an owner that is a zombie is dead, and its agent is adopted`, async () => {
    await using subject = await start();
    await subject.begin();
    const hold = subject.hold();
    const program = fileURLToPath(new URL("./caller.ts", import.meta.url));
    const order = JSON.stringify({ home: subject.home, folder: subject.folder, send: first });
    // A parent that never asks how its child ended.
    const words = ['"$@" & exec sleep 600', "sh", process.execPath, program, order];
    const parent = spawn("/bin/sh", ["-c", ...words], { env: subject.env, stdio: "ignore" });
    try {
      await hold.reached();
      const turn = lastTurn(subject);
      const { pid } = owner(subject, turn.id);
      process.kill(pid, "SIGKILL");
      await until(() => identify(pid) === null);
      expect(() => process.kill(pid, 0)).not.toThrow();

      const next = subject.send(recall);
      await until(() => subject.turns()[1]!.token > turn.token);
      expect(subject.witness.launches()).toHaveLength(2);
      hold.release();
      expect((await next).turn.output).toBe(secret);
      expect(await subject.reprise.turns.why(turn.id)).toMatchObject({
        turn: { status: "done" },
        output: "first",
      });
      expect(asked(subject)).toEqual([`remember ${secret}`, "echo first", recall]);
    } finally {
      parent.kill("SIGKILL");
    }
  });

  test(`C24/${provider}: an agent whose shim is a zombie is gone`, async () => {
    await using subject = await start();
    await subject.begin();
    const hold = subject.hold();
    const caller = subject.caller({ send: first });
    await hold.reached();
    const turn = lastTurn(subject);
    const shim = Number(readFileSync(join(subject.spool(turn.id), "pid"), "utf8").split("\n")[0]);
    // A stopped parent does not ask how its child ended, and this one is not the owner any more.
    caller.child.kill("SIGSTOP");
    killAgent(turn.id);
    await until(() => identify(shim) === null);
    expect(() => process.kill(shim, 0)).not.toThrow();
    {
      using database = new Database(subject);
      database.disownTurn(turn.id);
    }
    await interruptedAndFree(subject, turn.id);
    caller.child.kill("SIGCONT");
    expect(await caller.ended).toMatchObject({ result: { turn: { status: "interrupted" } } });
    expect(subject.witness.launches()).toHaveLength(3);
  });

  test(`C24/${provider}: a child whose parent died before it sent anything never starts an agent`, async () => {
    await using subject = await start();
    await subject.begin();
    const { signal } = await subject.caller({ send: first, freezes: "shim" }).ended;
    expect(signal).toBe("SIGKILL");
    const turn = lastTurn(subject);
    const [shim] = withMark(turn.id);
    expect(shim).toBeDefined();

    await subject.open();
    expect(lastTurn(subject).status).toBe("interrupted");
    process.kill(shim!.pid, "SIGCONT");
    await gone(turn.id);
    expect(subject.witness.launches()).toHaveLength(1);
    const { turn: next } = await subject.send(recall);
    expect(next).toMatchObject({ turn: { status: "done" }, output: secret });
    expect(asked(subject)).toEqual([`remember ${secret}`, recall]);
  });

  test(`C24/${provider}: a child whose parent died before it wrote its pid is found, and nothing starts beside it`, async () => {
    await using subject = await start();
    await subject.begin();
    const { signal } = await subject.caller({ send: first, freezes: "shim-with-ticket" }).ended;
    expect(signal).toBe("SIGKILL");
    const turn = lastTurn(subject);
    await until(() => existsSync(join(subject.spool(turn.id), "ticket")));
    const [shim] = withMark(turn.id);
    expect(existsSync(join(subject.spool(turn.id), "pid"))).toBe(false);

    const next = subject.send(recall);
    await until(() => subject.turns()[1]!.token > turn.token);
    expect(subject.witness.launches()).toHaveLength(1);
    process.kill(shim!.pid, "SIGCONT");
    expect((await next).turn).toMatchObject({ turn: { status: "done" }, output: secret });
    expect(asked(subject)).toEqual([`remember ${secret}`, "echo first", recall]);
    expect(await subject.reprise.turns.why(turn.id)).toMatchObject({
      turn: { status: "done" },
      output: "first",
    });
  });

  test(`C24/${provider}: a child that dies after its ticket and before its pid ⇒ interrupted`, async () => {
    await using subject = await start();
    await subject.begin();
    await subject.caller({ send: first, freezes: "shim-with-ticket" }).ended;
    const turn = lastTurn(subject);
    await until(() => existsSync(join(subject.spool(turn.id), "ticket")));
    killAgent(turn.id);
    await gone(turn.id);
    const { turn: next } = await subject.send(recall);
    expect(next).toMatchObject({ turn: { status: "done" }, output: secret });
    expect(await subject.reprise.turns.why(turn.id)).toMatchObject({
      turn: { status: "interrupted" },
    });
    expect(asked(subject)).toEqual([`remember ${secret}`, recall]);
  });
}
