/** C20 for every provider: what a turn costs is added up, and a budget applies to every caller. */

import { expect, test } from "vitest";
import { testWithHistory } from "./lacks.ts";
import { codes, failed, key, recall, type StartSubject, secret, witnessed } from "./subject.ts";

export function cost(provider: string, start: StartSubject): void {
  test(`C20/${provider}: a session over its budget is refused, also after a restart, until it is raised`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    await subject.reprise.sessions.set({
      key,
      settings: {
        "budget.maxTokens": 1,
        "budget.over": "refuse",
      },
    });
    const stopped = await subject.send(recall);
    expect(witnessed(stopped, id)).toBe("refuse");
    expect(stopped.turn).toMatchObject({
      turn: { status: "refused" },
      error: { code: "over-budget" },
    });

    await subject.open();
    const again = await subject.send(recall);
    expect(witnessed(again, id)).toBe("refuse");
    expect(failed(again.turn)).toEqual(["budget"]);

    await subject.reprise.sessions.set({ key, settings: { "budget.maxTokens": 10_000_000 } });
    const next = await subject.send(recall);
    expect(witnessed(next, id)).toBe("resume");
    expect(next.turn.output).toBe(secret);
  });

  testWithHistory(
    provider,
    `C20/${provider}: over budget ⇒ a warning or a new session, as configured`,
    async () => {
      await using subject = await start({ settings: { "budget.maxBytes": 1 } });
      const id = await subject.begin();
      const warned = await subject.send("echo on");
      expect(witnessed(warned, id)).toBe("resume");
      expect(codes(warned.turn)).toContain("over-budget");

      await subject.open({ settings: { "budget.maxBytes": 1, "budget.over": "reseed" } });
      const reseeded = await subject.send(recall);
      expect(witnessed(reseeded, id)).toBe("reseed");
      expect(reseeded.turn.output).toBe(secret);
    },
  );

  test(`C20/${provider}: the usage of a resumed turn is its own, and is added up`, async () => {
    await using subject = await start();
    await subject.begin();
    await subject.send("echo one");
    await subject.send("echo two");
    const { turns, total } = await subject.reprise.usage({ key });
    expect(total).toMatchObject({ turns: 3, outcomes: { resume: 2, blank: 1 } });
    for (const kind of ["cachedRead", "uncached", "output"] as const) {
      expect(total[kind].known).toBe("measured");
      const each = turns!.map((turn) => turn[kind].tokens!);
      expect(each.reduce((sum, tokens) => sum + tokens)).toBe(total[kind].tokens);
    }
    // If they were running totals, every turn would have more than all turns before it together.
    const [third, second] = turns!;
    expect(third!.output.tokens).toBeLessThan(2 * second!.output.tokens!);
  });
}
