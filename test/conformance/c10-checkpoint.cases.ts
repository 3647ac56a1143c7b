/** C10 for every provider: a checkpoint can be restored when it is needed. */

import { existsSync, readFileSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { Database } from "./database.ts";
import { lacks } from "./lacks.ts";
import {
  codes,
  failed,
  gone,
  key,
  recall,
  type StartSubject,
  type Subject,
  type SubjectOptions,
  secret,
  witnessed,
} from "./subject.ts";

const second = "echo second";
const third = "echo third";

const damages: Readonly<Record<string, string>> = {
  "is truncated": "substr(bytes, 1, length(bytes) / 2)",
  "has a bad checksum": "zeroblob(length(bytes))",
  "is empty": "x''",
};

/** Every kind of damage to a checkpoint's rows, one after the other. */
const ruins: readonly string[] = [
  "UPDATE blob SET bytes = zeroblob(length(bytes))",
  "UPDATE blob SET encoding = CASE encoding WHEN 'zstd' THEN 'plain' ELSE 'zstd' END",
  "UPDATE blob SET size = size - 1",
  "UPDATE checkpoint SET files = substr(files, 1, length(files) / 2)",
  "UPDATE checkpoint SET standing = substr(standing, 1, length(standing) / 2)",
  "UPDATE checkpoint SET files = '[]'",
  "UPDATE checkpoint_part SET start = start + 1",
  "DELETE FROM checkpoint_part",
];

/** How a turn ends, and what the provider session keeps of it. */
interface Ending {
  readonly what: string;
  readonly start?: SubjectOptions;
  readonly end: (subject: Subject) => Promise<void>;
  readonly kept: "all of it" | "what its tool did" | "nothing of it";
}

const endings: readonly Ending[] = [
  {
    what: "success",
    end: async (subject) => {
      expect((await subject.send(second)).turn.turn.status).toBe("done");
    },
    kept: "all of it",
  },
  {
    what: "an error after a tool",
    end: async (subject) => {
      subject.misbehave("fail-after-tool");
      expect((await subject.send(second)).turn.turn.status).toBe("failed");
    },
    kept: "what its tool did",
  },
  {
    what: "an error without a tool",
    end: async (subject) => {
      subject.misbehave("cut-off");
      expect((await subject.send(second)).turn.turn.status).toBe("failed");
    },
    kept: "nothing of it",
  },
  {
    what: "cancel",
    end: async (subject) => {
      const hold = subject.hold();
      const stop = new AbortController();
      const sent = subject.send(second, {}, { signal: stop.signal });
      await hold.reached();
      stop.abort();
      const { turn } = await sent;
      hold.release();
      expect(turn.turn.status).toBe("cancelled");
      await gone(turn.turn.id);
    },
    kept: "nothing of it",
  },
  {
    what: "a budget stop",
    end: async (subject) => {
      expect((await subject.send(second)).turn.turn.status).toBe("done");
      await subject.open({ settings: { budget: { maxBytes: 1, over: "refuse" } } });
      const stopped = await subject.send(third);
      expect(stopped.turn).toMatchObject({
        turn: { status: "refused" },
        error: { code: "over-budget" },
      });
      await subject.open();
    },
    kept: "all of it",
  },
];

export function checkpoint(provider: string, start: StartSubject): void {
  for (const [what, bytes] of Object.entries(damages))
    test(`C10/${provider}: the newest ${what} ⇒ the one before it, and the missing turn from the transcript`, async () => {
      await using subject = await start();
      const id = await subject.begin();
      await subject.send(second);
      await subject.send(third);
      rmSync(subject.sessionFile(id));
      {
        using database = new Database(subject);
        database.damageNewestCheckpoint(bytes);
      }

      const { decision } = await subject.reprise.sessions.explain({ key, agent: "coder" });
      expect(decision).toMatchObject({ outcome: "resume", prepare: ["restore"], catchUp: 2 });
      expect(existsSync(subject.sessionFile(id))).toBe(false);
      const [verified] = await subject.reprise.sessions.verify(key);
      expect(verified).toMatchObject({
        history: "restorable",
        checkpoint: "damaged",
        sound: false,
      });
      expect(verified?.findings.join(" ")).toMatch(
        /history is missing\..* from an earlier checkpoint.* \(2 messages\).*newest checkpoint is damaged; that of turn \w+ is complete/,
      );

      const seen = await subject.send(recall);
      expect(witnessed(seen, id)).toBe("resume");
      expect(seen.calls).toMatchObject([{ session: id, earlier: 4 }]);
      expect(seen.calls[0]?.prompt).toContain(third);
      expect(seen.calls[0]?.prompt).not.toContain(second);
      expect(codes(seen.turn)).toContain("restored");
      expect(seen.turn).toMatchObject({ turn: { seq: 4, status: "done" }, output: secret });

      const next = await subject.send("echo on");
      expect(witnessed(next, id)).toBe("resume");
      expect(next.calls).toMatchObject([{ session: id, earlier: 6 }]);
      expect(next.turn).toMatchObject({ turn: { seq: 5 }, decision: { catchUp: 0 } });
      expect(codes(next.turn)).not.toContain("restored");
    });

  test(`C10/${provider}: none is left ⇒ reseeded with a notice, and the next has checkpoints again`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    await subject.send(second);
    rmSync(subject.sessionFile(id));
    {
      using database = new Database(subject);
      database.change("UPDATE blob SET bytes = zeroblob(length(bytes))");
    }
    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("reseed");
    expect(codes(seen.turn)).toContain("history-lost");
    expect(seen.turn).toMatchObject({ turn: { seq: 3 }, output: secret });

    const next = seen.calls[0]!.session;
    rmSync(subject.sessionFile(next));
    const restored = await subject.send(recall);
    expect(restored.launches).toMatchObject([{ resumed: next }]);
    expect(restored.turn).toMatchObject({ turn: { seq: 4 }, output: secret });
    expect(await subject.reprise.sessions.verify(key)).toMatchObject([
      { sound: true, checkpoint: "whole", checkpoints: { damagedParts: 0 } },
    ]);
  });

  test(`C10/${provider}: written by a newer version ⇒ refused, nothing is launched, and the numbering continues`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    rmSync(subject.sessionFile(id));
    {
      using database = new Database(subject);
      database.change("UPDATE checkpoint SET version = version + 1");
    }
    for (const seq of [2, 3]) {
      const seen = await subject.send(recall);
      expect(witnessed(seen, id)).toBe("refuse");
      expect(seen.turn).toMatchObject({
        turn: { seq, status: "refused" },
        error: { code: "checkpoint-newer" },
      });
    }
    const [verified] = await subject.reprise.sessions.verify(key);
    expect(verified).toMatchObject({ checkpoint: "newer", sound: false });
    const reseeded = await subject.send(recall, { continuity: "reseed" });
    expect(witnessed(reseeded, id)).toBe("reseed");
    expect(reseeded.turn).toMatchObject({ turn: { seq: 4 }, output: secret });
  });

  test(`C10/${provider}: another agent's ⇒ refused, and nothing is launched`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    rmSync(subject.sessionFile(id));
    {
      using database = new Database(subject);
      database.giveCheckpointsTo("reviewer");
    }
    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("refuse");
    expect(seen.turn).toMatchObject({
      turn: { seq: 2, status: "refused" },
      error: { code: "checkpoint-foreign" },
    });
    const [verified] = await subject.reprise.sessions.verify(key);
    expect(verified).toMatchObject({ checkpoint: "foreign", sound: false });
    expect(verified?.findings.join(" ")).toContain("another agent, reviewer");
  });

  test(`C10/${provider}: of another model ⇒ restored, with a note`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    rmSync(subject.sessionFile(id));
    const seen = await subject.send(recall, { model: "another-model" });
    expect(witnessed(seen, id)).toBe("resume");
    expect(codes(seen.turn)).toEqual(expect.arrayContaining(["restored", "model"]));
    expect(seen.turn.output).toBe(secret);
  });

  test(`C10/${provider}: no transcript either ⇒ blank, with a warning`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    rmSync(subject.sessionFile(id));
    {
      using database = new Database(subject);
      database.dropCheckpoints();
      database.change("DELETE FROM message");
    }
    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("blank");
    expect(codes(seen.turn)).toContain("nothing-left");
    expect(failed(seen.turn)).toContain("intact");
    expect(seen.turn.turn).toMatchObject({ seq: 2, status: "done" });
  });

  for (const { what, start: options, end, kept } of endings) {
    if (kept === "what its tool did" && lacks(provider, "tools")) continue;
    test(`C10/${provider}: after ${what} the next turn is restored with ${kept}`, async () => {
      await using subject = await start(options);
      const id = await subject.begin();
      const file = () => subject.kept(readFileSync(subject.sessionFile(id)));
      const before = await file();
      await end(subject);
      const left = await file();
      rmSync(subject.sessionFile(id));

      const seen = await subject.send(recall);
      expect(witnessed(seen, id)).toBe("resume");
      expect(codes(seen.turn)).toContain("restored");
      expect(codes(seen.turn).includes("unconfirmed-kept")).toBe(kept === "what its tool did");
      expect(seen.calls[0]?.prompt).not.toContain(second);
      const { earlier } = seen.calls[0]!;
      if (kept === "all of it") expect(earlier).toBe(4);
      if (kept === "what its tool did") expect(earlier).toBeGreaterThan(2);
      if (kept === "nothing of it") expect(earlier).toBe(2);
      expect(seen.turn.output).toContain(secret);
      const restored = kept === "nothing of it" ? before : left;
      expect((await file()).subarray(0, restored.length)).toEqual(restored);
    });
  }

  test(`C10/${provider}: however the checkpoints are damaged, no turn fails, and the next checkpoint is sound`, async () => {
    await using subject = await start();
    let id = await subject.begin();
    let seq = 1;
    for (const ruin of ruins) {
      rmSync(subject.sessionFile(id));
      {
        using database = new Database(subject);
        database.change(ruin);
      }
      const seen = await subject.send(recall);
      seq += 1;
      expect({ ruin, outcome: witnessed(seen, id) }).toEqual({ ruin, outcome: "reseed" });
      expect(seen.turn).toMatchObject({ turn: { seq, status: "done" }, output: secret });
      id = seen.calls[0]!.session;
      expect(await subject.reprise.sessions.verify(key)).toMatchObject([{ sound: true }]);
    }
  });
}
