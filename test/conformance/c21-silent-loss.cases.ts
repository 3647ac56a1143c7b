/** C21 for every provider: history that is lost behind Reprise's back is noticed, restored, and reported. */

import { existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Database } from "./database.ts";
import {
  codes,
  key,
  recall,
  type StartSubject,
  type Subject,
  secret,
  witnessed,
} from "./subject.ts";

const second = "echo second";

/** What is done to the provider's file; every agent keeps one line for each thing that happened. */
const damages: Readonly<Record<string, (file: string) => void>> = {
  "cut off at a line": (file) => {
    const lines = readFileSync(file, "utf8").split("\n");
    const from = lines.findIndex((line) => line.includes(second));
    writeFileSync(
      file,
      lines
        .slice(0, from)
        .map((line) => `${line}\n`)
        .join(""),
    );
  },
  "cut off inside a line": (file) => {
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.slice(0, text.lastIndexOf(second) + 4));
  },
  "a line corrupted": (file) => {
    const lines = readFileSync(file, "utf8").split("\n");
    const at = lines.findIndex((line) => line.includes(secret));
    writeFileSync(file, lines.with(at, "\0".repeat(lines[at]!.length)).join("\n"));
  },
  "a line altered": (file) => {
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(secret, "ORANGE-11"));
  },
  "random bytes": (file) => {
    writeFileSync(file, Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 89) % 256)));
  },
  emptied: (file) => writeFileSync(file, ""),
  deleted: (file) => rmSync(file),
};

/** The damaged files that were kept. */
function keptAside({ home }: Subject): Buffer[] {
  const found = join(home, "found");
  return globSync("**/*", { cwd: found })
    .map((name) => join(found, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path));
}

export function silentLoss(provider: string, start: StartSubject): void {
  for (const [what, damage] of Object.entries(damages))
    test(`C21/${provider}: ${what} ⇒ restored before the next turn, and what was found is kept`, async () => {
      await using subject = await start();
      const id = await subject.begin();
      await subject.send(second);
      const file = subject.sessionFile(id);
      const whole = await subject.kept(readFileSync(file));
      damage(file);
      const found = existsSync(file) ? readFileSync(file) : null;

      const { decision } = await subject.reprise.sessions.explain({ key, agent: "coder" });
      expect(decision).toMatchObject({ outcome: "resume", prepare: ["restore"] });
      expect(existsSync(file) ? readFileSync(file) : null).toEqual(found);

      const seen = await subject.send(recall);
      expect(witnessed(seen, id)).toBe("resume");
      expect(seen.calls).toMatchObject([{ earlier: 4 }]);
      expect(seen.turn.output).toBe(secret);
      expect(codes(seen.turn)).toContain("restored");
      const restored = await subject.kept(readFileSync(file));
      expect(restored.subarray(0, whole.length)).toEqual(whole);
      expect(keptAside(subject)).toEqual(found === null ? [] : [found]);
    });

  test(`C21/${provider}: no checkpoint, or a damaged one ⇒ reseeded, and what was found stays`, async () => {
    await using subject = await start();
    const first = await subject.begin();
    await subject.send(second);
    damages["a line altered"]?.(subject.sessionFile(first));
    const found = readFileSync(subject.sessionFile(first));
    {
      using database = new Database(subject);
      database.change("UPDATE blob SET bytes = zeroblob(length(bytes))");
    }
    const damaged = await subject.send(recall);
    expect(witnessed(damaged, first)).toBe("reseed");
    expect(damaged.turn).toMatchObject({ decision: { reason: "intact" }, output: secret });
    expect(readFileSync(subject.sessionFile(first))).toEqual(found);

    const next = damaged.calls[0]!.session;
    rmSync(subject.sessionFile(next));
    {
      using database = new Database(subject);
      database.dropCheckpoints();
    }
    const none = await subject.send(recall);
    expect(witnessed(none, next)).toBe("reseed");
    expect(none.turn).toMatchObject({ decision: { reason: "intact" }, output: secret });
    const verdict = none.turn.decision?.verdicts.find(({ guard }) => guard === "intact");
    expect(verdict?.current).toBe("lost (missing, checkpoint none)");
  });
}
