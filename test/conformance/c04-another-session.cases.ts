/** C04 for every provider: an agent that continues another session has refused the given one. */

import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { codes, recall, type StartSubject, secret } from "./subject.ts";

export function anotherSession(provider: string, start: StartSubject): void {
  test(`C04/${provider}: a new session that is started silently is a refusal`, async () => {
    await using subject = await start();
    const asked = await subject.begin();
    subject.misbehave("new-session");
    const { turn, launches, calls } = await subject.send(recall);

    expect(launches).toHaveLength(2);
    expect(launches[1]).toMatchObject({ resumed: null });
    const answered = calls.at(-1)!;
    expect(answered.earlier).toBe(0);
    expect(answered.prompt).toContain(secret);
    expect(turn).toMatchObject({ turn: { status: "done" }, decision: { outcome: "reseed" } });
    expect(turn.output).toContain(secret);
    expect(codes(turn)).toHaveLength(1);

    const stray = calls.map(({ session }) => session).filter((id) => id !== answered.session);
    const next = await subject.send("echo on");
    expect(next.launches).toMatchObject([{ resumed: answered.session }]);
    expect([asked, ...stray]).not.toContain(answered.session);
    expect(existsSync(subject.sessionFile(asked))).toBe(true);
  });
}
