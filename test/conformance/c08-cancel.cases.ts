/** C08 for every provider: what cancelling a key ends, and an owner that is stopped. */

import { spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withMark } from "@reprise/providers/launch/process";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../until.ts";
import { gone, key, recall, type StartSubject, secret } from "./subject.ts";

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));

export function cancelling(provider: string, start: StartSubject): void {
  test(`S0g C08/${provider}: cancel KEY ends the running turn once, and not the queued one`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const hold = subject.hold();
    const running = subject.send("echo first");
    await hold.reached();
    const queued = await subject.send("echo second", { busy: "queue" });
    expect(queued.turn.turn.status).toBe("queued");

    const cancelled = await subject.reprise.turns.cancel(key, { by: "ana" });
    hold.release();
    const first = await running;
    expect(cancelled.turn).toMatchObject({ id: first.turn.turn.id, status: "cancelled" });
    await gone(first.turn.turn.id);
    const next = await subject.send(recall);
    expect(next.turn).toMatchObject({
      turn: { status: "done" },
      output: expect.stringContaining(secret),
    });
    const second = await subject.reprise.turns.why(queued.turn.turn.id);
    expect(second).toMatchObject({ turn: { status: "done" }, output: "second" });
    expect(next.launches.at(-1)).toMatchObject({ resumed: id });

    const again = await subject.reprise.turns.cancel(first.turn.turn.id, { by: "ben" });
    expect(again).toMatchObject({ turn: { status: "cancelled" }, error: { by: "ana" } });
    expect(again.notices.map(({ code }) => code)).toContain("already-ended");
    const nothing = await subject.reprise.turns.cancel(key);
    expect(nothing).toMatchObject({ turn: { id: next.turn.turn.id, status: "done" } });
    expect(nothing.notices.map(({ code }) => code)).toContain("already-ended");
  });

  test(`S0g C08/${provider}: a waiting send names a stopped owner, and a cancel still ends its turn`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const hold = subject.hold();
    const caller = subject.caller({ send: { key, agent: "coder", prompt: "echo first" } });
    await hold.reached();
    const { pid } = caller.child;
    process.kill(pid!, "SIGSTOP");
    const turn = subject.turns().at(-1)!;

    const said = join(subject.root, "said");
    const waiting = spawn(process.execPath, [program, "sessions", "send", key, recall, "--json"], {
      cwd: subject.folder,
      env: { ...subject.env, REPRISE_HOME: subject.home },
      stdio: ["ignore", "ignore", openSync(said, "w")],
    });
    onTestFinished(() => void waiting.kill("SIGKILL"));
    const ended = new Promise((resolve) => waiting.once("exit", resolve));
    await until(() => readFileSync(said, "utf8").includes("stopped"));
    expect(readFileSync(said, "utf8")).toMatch(
      new RegExp(
        `behind turn ${turn.id.slice(0, 8)} of process ${pid} on .* since \\d{4}-.*stopped`,
      ),
    );

    const cancelled = await subject.reprise.turns.cancel(turn.id);
    expect(cancelled).toMatchObject({ turn: { id: turn.id, status: "cancelled" } });
    expect(withMark(turn.id)).toEqual([]);
    hold.release();
    expect(await ended).toBe(0);
    process.kill(pid!, "SIGCONT");
    await caller.ended;
    expect(subject.turns().map(({ status }) => status)).toEqual(["done", "cancelled", "done"]);
    expect(subject.witness.launches().map(({ resumed }) => resumed)).toEqual([null, id, id]);
  });
}
