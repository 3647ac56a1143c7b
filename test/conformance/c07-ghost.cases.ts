/** C07 for every provider: an id that was seen but never saved is not kept. */

import { expect, test } from "vitest";
import { codes, key, recall, remember, type StartSubject, secret } from "./subject.ts";

export function ghost(provider: string, start: StartSubject): void {
  test(`C07/${provider}: a first session that was never saved is not stored`, async () => {
    await using subject = await start();
    subject.misbehave("ghost");
    const { turn, calls } = await subject.send(remember);
    const seen = calls[0]!.session;
    expect(turn.turn.status).toBe("done");
    expect(codes(turn)).toEqual(["ghost"]);
    expect(await subject.reprise.sessions.show(key)).toMatchObject({ handle: null, pins: [] });

    const next = await subject.send(recall);
    expect(next.launches).toMatchObject([{ resumed: null }]);
    expect(next.launches[0]?.argv.join(" ")).not.toContain(seen);
    expect(next.calls[0]?.prompt).toContain(remember);
    expect(next.turn.output).toContain(secret);
  });

  test(`C07/${provider}: after a resumed turn that was never saved the good session stays, and the next prompt repeats that turn`, async () => {
    await using subject = await start();
    const good = await subject.begin();
    subject.misbehave("ghost");
    const lost = await subject.send("echo PEAR");
    expect(lost.turn).toMatchObject({ turn: { status: "done" }, output: "PEAR" });
    expect(codes(lost.turn)).toContain("ghost");
    expect(lost.launches).toHaveLength(1);

    const next = await subject.send(recall);
    expect(next.launches).toMatchObject([{ resumed: good }]);
    expect(next.calls).toMatchObject([{ session: good, earlier: 2 }]);
    expect(next.calls[0]?.prompt).toContain("PEAR");
    expect(next.calls[0]?.prompt).not.toContain(remember);
    expect(next.turn.output).toContain(secret);
  });
}
