/** C23 for every provider: a turn typed in its own program is kept, imported, resumed, and reported. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { typeNatively } from "./native.ts";
import { codes, key, recall, type StartSubject, witnessed } from "./subject.ts";

const pear = "PEAR-12";

export function nativeTurns(provider: string, start: StartSubject): void {
  test(`C23/${provider}: a turn typed natively between two of Reprise's is kept, imported, resumed and reported`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    await typeNatively(subject, `remember ${pear}`, id);
    const file = subject.sessionFile(id);
    const found = readFileSync(file);

    const { decision } = await subject.reprise.sessions.explain({ key });
    expect(decision).toMatchObject({ outcome: "resume", prepare: [] });
    expect(await subject.reprise.sessions.verify(key)).toMatchObject([{ history: "advanced" }]);
    expect(readFileSync(file)).toEqual(found);

    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("resume");
    expect(seen.calls).toMatchObject([{ earlier: 4 }]);
    expect(seen.turn.output).toBe(pear);
    expect(codes(seen.turn)).toContain("native-turns");
    // What was typed was not paid for by this turn.
    const { cachedRead, uncached } = seen.turn.usage ?? {};
    expect((cachedRead ?? 0) + (uncached ?? 0)).toBeLessThan(15_000);
    const kept = await subject.kept(found);
    const after = await subject.kept(readFileSync(file));
    expect(after.subarray(0, kept.length)).toEqual(kept);

    const next = await subject.send(recall);
    expect(codes(next.turn)).not.toContain("native-turns");
    const reseeded = await subject.send(recall, { continuity: "reseed" });
    expect(witnessed(reseeded, id)).toBe("reseed");
    expect(reseeded.calls[0]?.prompt).toContain(`remember ${pear}`);
  });

  test(`C23/${provider}: a turn of Reprise's that fails is undone to what was typed, not to before it`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    await typeNatively(subject, `remember ${pear}`, id);
    subject.misbehave("rate-limit");
    const failed = await subject.send("echo lost");
    expect(failed.turn.turn.status).toBe("failed");

    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("resume");
    expect(seen.calls).toMatchObject([{ earlier: 4 }]);
    expect(seen.turn.output).toBe(pear);
  });
}
