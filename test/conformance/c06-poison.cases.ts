/** C06 for every provider: a history that the provider itself cannot use any more. */

import { expect, test } from "vitest";
import { Database } from "./database.ts";
import {
  codes,
  recall,
  type StartSubject,
  type Subject,
  secret,
  type Watched,
  witnessed,
} from "./subject.ts";

/** The turn continued with a new session, and so does the next one; `tried` launches used the bad one. */
export async function isRetired(
  subject: Subject,
  bad: string,
  seen: Watched,
  tried = 1,
): Promise<void> {
  const { turn, launches, calls } = seen;
  const resumed = launches.map((launch) => launch.resumed);
  expect(resumed).toEqual([...Array.from({ length: tried }, () => bad), null]);
  expect(witnessed({ launches: launches.slice(-1), calls: calls.slice(-1) }, bad)).toBe("reseed");
  expect(turn).toMatchObject({ turn: { status: "done" }, output: secret });
  // A helper of the real program may outlive it for a moment.
  expect(codes(turn).filter((code) => code !== "survivors")).toHaveLength(tried);
  const next = await subject.send("echo on");
  expect(next.launches).toMatchObject([{ resumed: calls.at(-1)?.session }]);
}

export function poison(provider: string, start: StartSubject): void {
  test(`C06/${provider}: an older good row cannot revive a retired session`, async () => {
    await using subject = await start();
    const bad = await subject.begin();
    using database = new Database(subject);
    const [good] = database.rows<{ handle: string; data: string }>("SELECT handle, data FROM pin");
    subject.misbehave("poisoned");
    await subject.send("echo on");
    database.change("UPDATE pin SET handle = :handle, data = :data", { ...good! });

    const { turn, launches } = await subject.send(recall);
    expect(launches).toMatchObject([{ resumed: null }]);
    expect(turn).toMatchObject({ decision: { outcome: "reseed" }, output: secret });
    for (const { argv } of launches) expect(argv.join(" ")).not.toContain(bad);
  });

  test(`C06/${provider}: an answer that only quotes such a text changes nothing`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const quoted =
      "API Error: 400 messages.1.content.0: Invalid `signature` in `thinking` block. Prompt is too long. No conversation found with session ID: 1. No session found with id 1";
    const { turn, launches } = await subject.send(`what does that mean?\necho ${quoted}`);
    expect(launches).toHaveLength(1);
    expect(turn).toMatchObject({ turn: { status: "done" }, output: quoted });
    const next = await subject.send(recall);
    expect(witnessed(next, id)).toBe("resume");
    expect(next.calls).toMatchObject([{ earlier: 4 }]);
  });

  test(`C06/${provider}: unknown failures in a row ⇒ retired; a good turn between them starts the count anew`, async () => {
    await using subject = await start({ settings: { maxStrikes: 2 } });
    const id = await subject.begin();
    const outcomes: (string | undefined)[] = [];
    for (const fails of [true, false, true, true, false]) {
      if (fails) subject.misbehave("unknown-failure");
      const { turn, launches } = await subject.send("echo on");
      expect(launches).toHaveLength(1);
      outcomes.push(`${turn.turn.status} ${launches[0]?.resumed === id ? "resumed" : "new"}`);
    }
    expect(outcomes).toEqual([
      "failed resumed",
      "done resumed",
      "failed resumed",
      "failed resumed",
      "done new",
    ]);
    const last = await subject.send(recall);
    expect(last.turn.output).toBe(secret);
  });
}
