/** C02 for every provider: a new provider session has a new id, and everything else of the agent stays. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { key, recall, type StartSubject, secret } from "./subject.ts";

export function newIds(provider: string, start: StartSubject): void {
  test(`C02/${provider}: fresh never reuses an id; the new one is the next to be resumed`, async () => {
    await using subject = await start();
    const first = await subject.begin();
    const kept = readFileSync(subject.sessionFile(first));
    const agent = await subject.reprise.agents.show("coder");

    const reseeded = await subject.send(recall, { continuity: "reseed" });
    const second = reseeded.calls[0]!.session;
    const resumed = await subject.send("echo on");
    const blanked = await subject.send("echo new matter", { continuity: "blank" });
    const third = blanked.calls[0]!.session;
    const resumedAgain = await subject.send("echo on");

    expect(new Set([first, second, third]).size).toBe(3);
    expect(resumed.launches).toMatchObject([{ resumed: second }]);
    expect(resumed.calls).toMatchObject([{ session: second, earlier: 2 }]);
    expect(resumedAgain.launches).toMatchObject([{ resumed: third }]);
    expect(resumedAgain.calls).toMatchObject([{ session: third, earlier: 2 }]);
    for (const { argv } of reseeded.launches.concat(blanked.launches))
      expect(argv.join(" ")).not.toContain(first);

    expect(reseeded.turn.output).toContain(secret);
    expect(await subject.reprise.agents.show("coder")).toEqual(agent);
    expect(readFileSync(subject.sessionFile(first))).toEqual(kept);
    const { recent } = await subject.reprise.sessions.show(key);
    expect(recent.map(({ seq }) => seq)).toEqual([5, 4, 3, 2, 1]);
    expect(recent.every(({ usage }) => (usage?.output ?? 0) > 0)).toBe(true);
  });
}
