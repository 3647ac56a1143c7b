/** C13 for every provider: archived, purged, held and pruned sessions, and clocks that jump. */

import { existsSync, readFileSync } from "node:fs";
import type { PruneReport } from "@reprise/core/api/reprise";
import { expect, test } from "vitest";
import { codes, key, recall, type StartSubject, secret, witnessed } from "./subject.ts";

export const day = 24 * 3600 * 1000;
/** Ten in the morning, local time. */
const monday = new Date(2026, 2, 2, 10).getTime();

/** A clock that the test sets. */
export class Clock {
  at = monday;
  readonly now = () => this.at;
}

export const brief = ({ steps }: PruneReport) => steps.map((step) => `${step.action} ${step.key}`);

export function keeping(provider: string, start: StartSubject): void {
  test(`C13/${provider}: an archived key refuses until it is revived, then continues`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const file = readFileSync(subject.sessionFile(id));
    await subject.reprise.sessions.archive(key);
    await subject.open();
    const refused = await subject.send(recall);
    expect(witnessed(refused, id)).toBe("refuse");
    expect(refused.turn).toMatchObject({
      turn: { status: "refused" },
      decision: { outcome: "refuse", reason: "archived" },
      error: { code: "archived" },
    });
    for (const continuity of ["reseed", "blank"] as const)
      expect(witnessed(await subject.send(recall, { continuity }), id)).toBe("refuse");
    expect(readFileSync(subject.sessionFile(id))).toEqual(file);

    await subject.reprise.sessions.revive(key);
    const next = await subject.send(recall);
    expect(witnessed(next, id)).toBe("resume");
    expect(next.turn.output).toContain(secret);
  });

  test(`C13/${provider}: a purged key says that it is new, and knows nothing`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    await subject.reprise.sessions.purge(key);
    const { decision } = await subject.reprise.sessions.explain({ key, agent: "coder" });
    expect(decision).toMatchObject({ outcome: "blank", notices: [{ code: "purged" }] });
    const next = await subject.send(recall);
    expect(witnessed(next, id)).toBe("blank");
    expect(codes(next.turn)).toContain("purged");
    expect(next.turn.turn.seq).toBe(1);
    expect(next.turn.output).not.toContain(secret);
  });

  test(`C13/${provider}: running and held sessions are never archived, purged or pruned`, async () => {
    const clock = new Clock();
    const settings = { archiveAfter: "1d", prune: { after: "1d", maxEntries: 1 } };
    await using subject = await start({ settings, now: clock.now });
    const { sessions } = subject.reprise;
    for (const name of ["held", "archived-and-held", "running", "idle"])
      await subject.begin({ key: name });
    await sessions.hold({ key: "held", by: "gate" });
    await sessions.archive("archived-and-held");
    await sessions.hold({ key: "archived-and-held", by: "gate" });
    const answer = subject.hold();
    const running = subject.send(recall, { key: "running" });
    await answer.reached();
    clock.at += 400 * day;

    for (const name of ["held", "running"])
      await expect(sessions.archive(name)).rejects.toMatchObject({ exitCode: 1 });
    for (const name of ["held", "running", "archived-and-held"])
      await expect(sessions.purge(name)).rejects.toMatchObject({ exitCode: 1 });
    const report = await sessions.prune({ enforce: true });
    expect(brief(report)).toEqual(["archive idle"]);
    expect(report.spared.map((step) => step.key)).toEqual(["archived-and-held", "held", "running"]);
    answer.release();
    expect((await running).turn.output).toContain(secret);
    expect((await sessions.list()).map((session) => session.key)).toEqual([
      "archived-and-held",
      "held",
      "idle",
      "running",
    ]);
  });

  test(`C13/${provider}: a dry run lists exactly what enforcing removes`, async () => {
    const clock = new Clock();
    const settings = { archiveAfter: "30d", prune: { maxEntries: 2 } };
    await using subject = await start({ settings, now: clock.now });
    const { sessions } = subject.reprise;
    const keys = ["a", "b", "c", "d", "e", "never"];
    for (const name of keys) await subject.begin({ key: name });
    await sessions.set({ key: "never", settings: { archiveAfter: "never" } });
    for (const name of ["a", "b", "c"]) {
      clock.at += 60_000;
      await sessions.archive(name);
    }
    clock.at += 31 * day;
    await subject.send("echo used", { key: "e" });

    const listed = async () => (await sessions.list()).map((session) => session.key);
    const dry = await sessions.prune({ enforce: false });
    expect(dry).toMatchObject({ enforced: false, skipped: [], spared: [] });
    expect(brief(dry)).toEqual(["archive d", "purge a"]);
    expect(await sessions.prune()).toEqual(dry);
    expect(await listed()).toEqual(keys);

    expect(await sessions.prune({ enforce: true })).toEqual({ ...dry, enforced: true });
    expect(await listed()).toEqual(["b", "c", "d", "e", "never"]);
    expect((await sessions.show("d")).archivedAt).toBe(clock.at);
    clock.at += 180 * day;
    expect(brief(await sessions.prune({ enforce: true }))).toEqual([
      "purge b",
      "purge c",
      "purge d",
      "archive e",
    ]);
  });

  test(`C13/${provider}: a reset policy causes a blank turn, recorded and shown; a held session is exempt`, async () => {
    const clock = new Clock();
    await using subject = await start({ settings: { reset: { mode: "daily" } }, now: clock.now });
    const id = await subject.begin();
    clock.at += 8 * 3600_000;
    expect(witnessed(await subject.send("echo same day"), id)).toBe("resume");
    clock.at += day;

    await subject.reprise.sessions.hold({ key, reason: "waits for the approval" });
    expect(witnessed(await subject.send("echo held"), id)).toBe("resume");
    await subject.reprise.sessions.release({ key });
    clock.at += day;

    const { decision } = await subject.reprise.sessions.explain({ key });
    expect(decision).toMatchObject({ outcome: "blank", reason: "policy" });
    subject.misbehave("server-error");
    expect((await subject.send(recall)).turn.turn.status).toBe("failed");
    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("blank");
    expect(seen.turn.decision?.verdicts[0]).toMatchObject({
      guard: "policy",
      passed: false,
      current: expect.stringMatching(/^blank \(reset: daily at 4:00, last used 2026-03-/),
    });
    expect(seen.turn.output).not.toContain(secret);
    expect(witnessed(await subject.send("echo on"), seen.calls[0]!.session)).toBe("resume");
  });

  test(`C13/${provider}: held through restarts, prune --enforce, a daily reset and a clock that jumps: one provider session`, async () => {
    const clock = new Clock();
    const options = {
      settings: {
        reset: { mode: "daily" },
        archiveAfter: "1d",
        prune: { after: "1d", maxEntries: 1, mode: "enforce" },
      },
      now: clock.now,
    };
    await using subject = await start(options);
    const id = await subject.begin();
    await subject.begin({ key: "witness" });
    await subject.reprise.sessions.hold({ key, by: "gate", reason: "approval" });

    const jumps = [3 * day, -10 * day, 400 * day, -1 * day, 3650 * day, -5000 * day, 90 * day];
    for (const [index, jump] of jumps.entries()) {
      clock.at += jump;
      await subject.open(options);
      await subject.reprise.sessions.prune();
      await subject.reprise.sessions.prune({ enforce: true });
      const seen = await subject.send(recall);
      expect(witnessed(seen, id), `after jump ${index}`).toBe("resume");
      expect(seen.turn.output).toContain(secret);
    }
    // A session that is not held is gone, so the policies did run.
    await expect(subject.reprise.sessions.show("witness")).rejects.toMatchObject({ exitCode: 4 });
    expect(existsSync(subject.sessionFile(id))).toBe(true);

    await subject.reprise.sessions.release({ key, by: "gate" });
    clock.at += day;
    expect(witnessed(await subject.send(recall), id)).toBe("blank");
  });
}
