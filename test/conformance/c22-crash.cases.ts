/** C22 for every provider: Reprise dies at some moment of a turn, and nothing is lost or sent twice. */

import { expect, test } from "vitest";
import { until } from "../until.ts";
import type { CallerOrder } from "./caller.ts";
import { gone, key, recall, type StartSubject, type Subject, secret } from "./subject.ts";

const prompt = "echo once";

/** Where Reprise is killed, and whether the agent had been started then. */
const moments: readonly (readonly [NonNullable<CallerOrder["dies"]>, boolean])[] = [
  ["after store.beginTurn", false],
  ["after launcher.prepare", false],
  ["after store.recordLaunch", false],
  ["after launcher.start", true],
  ["before store.finishTurn", true],
  ["after store.finishTurn", true],
];

function calls({ witness }: Subject, of = prompt): number {
  return witness.calls().filter((call) => call.prompt.includes(of)).length;
}

export function crash(provider: string, start: StartSubject): void {
  for (const [dies, startedThen] of moments)
    test(`C22/${provider}: killed ${dies} ⇒ ${startedThen ? "its answer is taken" : "it is reported, and never sent"}`, async () => {
      await using subject = await start();
      const id = await subject.begin();
      const { signal } = await subject.caller({ dies, send: { key, agent: "coder", prompt } })
        .ended;
      expect(signal).toBe("SIGKILL");
      if (startedThen) await until(() => calls(subject) === 1);
      const turn = (await subject.reprise.sessions.show(key)).recent[0]!.id;
      await gone(turn);

      await subject.open();
      const recovered = await subject.reprise.turns.why(turn);
      expect(recovered).toMatchObject(
        startedThen
          ? { turn: { status: "done" }, output: "once" }
          : { turn: { status: "interrupted" }, output: null },
      );
      expect(calls(subject)).toBe(startedThen ? 1 : 0);

      const next = await subject.send(recall);
      expect(next.launches).toMatchObject([{ resumed: id }]);
      expect(next.calls).toMatchObject([{ session: id, earlier: startedThen ? 4 : 2 }]);
      expect(next.turn.output).toBe(secret);
      expect(calls(subject)).toBe(startedThen ? 1 : 0);
    });

  test(`C22/${provider}: killed while the model thinks ⇒ the agent finishes by itself, and its answer is taken`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const hold = subject.hold();
    const killed = subject.caller({ send: { key, agent: "coder", prompt } });
    await hold.reached();
    killed.child.kill("SIGKILL");
    await killed.ended;
    const turn = (await subject.reprise.sessions.show(key)).recent[0]!.id;
    hold.release();
    await gone(turn);

    await subject.open();
    expect(await subject.reprise.turns.why(turn)).toMatchObject({
      turn: { status: "done" },
      output: "once",
    });
    const next = await subject.send(recall);
    expect(next.calls).toMatchObject([{ session: id, earlier: 4 }]);
    expect(calls(subject)).toBe(1);
  });

  test(`C22/${provider}: killed between a refusal and the second attempt ⇒ the turn continues where it was`, async () => {
    await using subject = await start();
    const dead = await subject.begin();
    subject.misbehave("refuse");
    const send = { key, agent: "coder", prompt };
    const { signal } = await subject.caller({ dies: "after store.endAttempt", send }).ended;
    expect(signal).toBe("SIGKILL");
    await subject.open();
    const recovered = (await subject.reprise.sessions.show(key)).recent[0]!;
    expect(recovered).toMatchObject({ status: "done", outcome: "reseed", output: "once" });
    expect(calls(subject)).toBe(1);
    const next = await subject.send(recall);
    expect(next.launches[0]?.resumed).not.toBe(dead);
    expect(next.turn.output).toBe(secret);
  });
}
