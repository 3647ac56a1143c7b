/** C20 on the real agents; that the conversation is too long is said by the service of their model. */

import { expect, test } from "vitest";
import { cost } from "./c20-cost.cases.ts";
import { onRealAgents } from "./real-agents.ts";
import { codes, recall, secret } from "./subject.ts";

onRealAgents("C20", (provider, start) => {
  cost(provider, start);

  test(`C20/${provider}: overflow ⇒ compacted, tried once more, and the provider session shrinks`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    for (const part of ["one", "two", "three", "four"])
      await subject.send(`echo part ${part} ${"word ".repeat(200)}`);
    subject.answer([{ refuse: "overflow" }]);
    const { turn, launches, calls } = await subject.send(recall);
    expect(launches).toMatchObject([{ resumed: id }, { resumed: null }]);
    expect(turn).toMatchObject({
      turn: { status: "done" },
      decision: { outcome: "reseed", compact: { focus: null } },
      output: secret,
    });
    expect(turn.attempts[0]).toMatchObject({ error: { code: "session-overflow" } });
    expect(codes(turn)).toEqual(["second-attempt"]);
    const summary = calls.at(-1)!;
    expect(summary.earlier).toBe(0);
    expect(summary.prompt).toContain("user: echo part one word");

    const next = await subject.send("echo on");
    expect(next.launches).toMatchObject([{ resumed: summary.session }]);
    expect(next.calls).toMatchObject([{ earlier: 2 }]);
  });
});
