/** C08 for every provider: a session has one writer, however many processes call and die. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BusyError } from "@reprise/core/errors/errors";
import { withMark } from "@reprise/providers/launch/process";
import { expect, test } from "vitest";
import { appears, until } from "../until.ts";
import { Database } from "./database.ts";
import { gone, key, type ModelCall, type StartSubject, signal } from "./subject.ts";

/** What the model was asked, without the conversation before it. */
function asked(calls: readonly ModelCall[]): (string | undefined)[] {
  return calls.map(({ prompt }) => prompt.trimEnd().split("\n").at(-1));
}

export function oneWriter(provider: string, start: StartSubject): void {
  test(`C08/${provider}: two shells on one key ⇒ one runs, the other follows --busy`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const hold = subject.hold();
    const first = subject.sender("echo first", "wait");
    await hold.reached();

    const [failed, skipped, queued] = await Promise.all([
      subject.sender("echo never", "fail").ended,
      subject.sender("echo never", "skip").ended,
      subject.sender("echo queued", "queue").ended,
    ]);
    expect(failed.code).toBe(1);
    expect(failed.result).toMatchObject({ error: { code: "busy" } });
    expect(skipped).toMatchObject({ code: 0, result: { turn: { status: "skipped" } } });
    expect(queued).toMatchObject({ code: 0, result: { turn: { status: "queued" } } });
    const waiting = subject.sender("echo waited", "wait");
    await until(() => subject.turns().filter(({ status }) => status === "queued").length === 2);
    expect(subject.witness.launches()).toHaveLength(2);

    hold.release();
    expect(await first.ended).toMatchObject({ code: 0, result: { output: "first" } });
    expect(await waiting.ended).toMatchObject({ code: 0, result: { output: "waited" } });
    await until(() =>
      subject.turns().every(({ status }) => !["queued", "running"].includes(status)),
    );

    const calls = subject.witness.calls().slice(1);
    expect(asked(calls)).toEqual(["echo first", "echo queued", "echo waited"]);
    expect(calls.map(({ earlier }) => earlier)).toEqual([2, 4, 6]);
    expect(calls.every(({ session }) => session === id)).toBe(true);
    expect(subject.witness.launches()).toHaveLength(4);
  });

  test(`C08/${provider}: two keys that alias one provider session have one writer`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    {
      using database = new Database(subject);
      database.aliasSession(key, "alias");
    }
    const hold = subject.hold();
    const first = subject.send("echo first");
    await hold.reached();

    await expect(subject.send("echo never", { key: "alias", busy: "fail" })).rejects.toMatchObject({
      code: "busy",
    } satisfies Partial<BusyError>);
    const second = subject.send("echo second", { key: "alias" });
    await until(() => subject.turns("alias").some(({ status }) => status === "queued"));
    expect(subject.witness.launches()).toHaveLength(2);

    hold.release();
    expect((await first).turn.output).toBe("first");
    expect((await second).turn.output).toBe("second");
    const calls = subject.witness.calls().slice(1);
    expect(asked(calls)).toEqual(["echo first", "echo second"]);
    expect(calls).toMatchObject([
      { session: id, earlier: 2 },
      { session: id, earlier: 4 },
    ]);
  });

  test(`C08/${provider}: an owner that was taken over writes nothing more`, async () => {
    await using subject = await start();
    await subject.begin();
    const hold = subject.hold();
    const fencedAt = join(subject.root, "fenced-at");
    const send = (prompt: string) => ({ key, agent: "coder", prompt });
    const stale = subject.caller({ send: send("echo first"), fencedAt });
    await hold.reached();
    const [, first] = subject.turns();
    {
      using database = new Database(subject);
      database.disownTurn(first!.id);
    }
    const followsAt = join(subject.root, "follows-at");
    const second = subject.caller({ send: send("echo second"), followsAt });
    await appears(followsAt);
    expect(subject.turns()[1]!.token).toBeGreaterThan(first!.token);
    expect(subject.witness.launches()).toHaveLength(2);

    // The new owner sleeps while the agent ends, so that the stale one is the first to know. Stopped
    // any earlier, it could sleep in the middle of a write, and the stale one would wait for its lock.
    second.child.kill("SIGSTOP");
    hold.release();
    await until(
      () => existsSync(fencedAt) && readFileSync(fencedAt, "utf8") === "store.finishTurn",
    );
    expect(subject.turns()[1]?.status).toBe("running");
    second.child.kill("SIGCONT");

    expect(await second.ended).toMatchObject({ code: 0, result: { output: "second" } });
    expect(await stale.ended).toMatchObject({
      code: 0,
      result: { turn: { id: first!.id, status: "done" }, output: "first" },
    });
    expect(asked(subject.witness.calls().slice(1))).toEqual(["echo first", "echo second"]);
  });

  test(`C08/${provider}: Reprise is killed while its agent lives ⇒ still one writer`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const hold = subject.hold();
    const killed = subject.sender("echo first");
    await hold.reached();
    killed.child.kill("SIGKILL");
    await killed.ended;
    const [, first] = subject.turns();

    await expect(subject.send("echo never", { busy: "fail" })).rejects.toMatchObject({
      code: "busy",
    } satisfies Partial<BusyError>);
    const second = subject.send("echo second");
    await until(() => subject.turns()[1]!.token > first!.token);
    expect(subject.witness.launches()).toHaveLength(2);

    hold.release();
    expect((await second).turn).toMatchObject({ turn: { status: "done" }, output: "second" });
    expect(await subject.reprise.turns.why(first!.id)).toMatchObject({
      turn: { status: "done" },
      output: "first",
    });
    const calls = subject.witness.calls().slice(1);
    expect(asked(calls)).toEqual(["echo first", "echo second"]);
    expect(calls).toMatchObject([
      { session: id, earlier: 2 },
      { session: id, earlier: 4 },
    ]);
  });

  test(`C08/${provider}: the session is free once the killed Reprise's agent is gone and its spool read`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const hold = subject.hold();
    const killed = subject.sender("echo first");
    await hold.reached();
    killed.child.kill("SIGKILL");
    await killed.ended;
    const [, first] = subject.turns();
    for (const { pid } of withMark(first!.id)) signal(pid, "SIGKILL");
    await gone(first!.id);

    const { turn, calls } = await subject.send("echo second");
    expect(turn).toMatchObject({ turn: { status: "done" }, output: "second" });
    expect(calls).toMatchObject([{ session: id, earlier: 2 }]);
    expect(await subject.reprise.turns.why(first!.id)).toMatchObject({
      turn: { status: "interrupted" },
      output: null,
    });
    hold.release();
  });
}
