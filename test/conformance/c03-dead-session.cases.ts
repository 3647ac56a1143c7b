/** C03 for every provider: a session that is refused costs one second attempt, and never a third. */

import { expect, test } from "vitest";
import { testWithTools } from "./lacks.ts";
import { codes, recall, type StartSubject, secret, witnessed } from "./subject.ts";

export function deadSession(provider: string, start: StartSubject): void {
  test(`C03/${provider}: refused before any tool ran ⇒ one reseed in the same turn, one notice`, async () => {
    await using subject = await start();
    const dead = await subject.begin();
    subject.misbehave("refuse");
    const { turn, launches, calls } = await subject.send(recall);

    expect(launches).toMatchObject([{ resumed: dead }, { resumed: null }]);
    expect(witnessed({ launches: launches.slice(1), calls }, dead)).toBe("reseed");
    expect(turn.turn.status).toBe("done");
    expect(turn.output).toContain(secret);
    expect(turn.attempts.map(({ decision }) => decision.outcome)).toEqual(["resume", "reseed"]);
    expect(codes(turn)).toHaveLength(1);

    const next = await subject.send("echo on");
    expect(next.launches).toMatchObject([{ resumed: calls[0]?.session }]);
    const later = await subject.send(recall, { continuity: "reseed" });
    for (const { argv } of [...next.launches, ...later.launches])
      expect(argv.join(" ")).not.toContain(dead);
  });

  testWithTools(
    provider,
    `C03/${provider}: refused after a tool ran ⇒ it is not run again, and the old id is retired`,
    async () => {
      await using subject = await start();
      const dead = await subject.begin();
      subject.misbehave("refuse-after-tool");
      const { turn, launches, calls } = await subject.send("echo on");
      expect(launches).toMatchObject([{ resumed: dead }]);
      expect(calls.filter(({ prompt }) => !prompt.includes("echo on"))).toEqual([]);
      expect(turn.turn.status).toBe("failed");
      expect(turn.attempts).toMatchObject([{ tools: true }]);

      const next = await subject.send(recall);
      expect(witnessed(next, dead)).toBe("reseed");
      expect(next.turn.decision?.reason).toBe("healthy");
    },
  );

  test(`C03/${provider}: a second attempt that fails too is the last one`, async () => {
    await using subject = await start();
    const dead = await subject.begin();
    subject.misbehave("refuse-and-fail");
    const { turn, launches } = await subject.send(recall);
    expect(launches).toMatchObject([{ resumed: dead }, { resumed: null }]);
    expect(turn.turn.status).toBe("failed");
    expect(turn.attempts).toHaveLength(2);
  });
}
