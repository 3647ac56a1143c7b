/** C13 on the scripted agent. */

import { expect, test } from "vitest";
import { keeping } from "./c13-keeping.cases.ts";
import { startScripted } from "./scripted-subject.ts";
import { key, witnessed } from "./subject.ts";

keeping("scripted", startScripted);

test("C13/scripted: a reset policy depends on channel and surface, and a session's own comes first", async () => {
  let now = new Date(2026, 2, 2, 10).getTime();
  await using subject = await startScripted({
    settings: {
      reset: {
        mode: "none",
        idleMinutes: 30,
        surface: { chat: "daily" },
        channel: { mail: "idle" },
      },
    },
    now: () => now,
  });
  const kinds = {
    plain: {},
    chat: { surface: "chat", busy: "wait" },
    mail: { channel: "mail" },
    own: { channel: "mail" },
  } as const;
  const ids = new Map<string, string>();
  for (const [key, send] of Object.entries(kinds))
    ids.set(key, await subject.begin({ ...send, key }));
  await subject.reprise.sessions.set({ key: "own", settings: { "reset.mode": "none" } });

  const outcomes = async () => {
    const seen: Record<string, string> = {};
    for (const [key, send] of Object.entries(kinds)) {
      const watched = await subject.send("echo on", { ...send, key });
      seen[key] = witnessed(watched, ids.get(key)!);
      ids.set(key, watched.calls[0]!.session);
    }
    return seen;
  };
  now += 31 * 60_000;
  expect(await outcomes()).toEqual({
    plain: "resume",
    chat: "resume",
    mail: "blank",
    own: "resume",
  });
  now += 24 * 3600_000;
  expect(await outcomes()).toEqual({
    plain: "resume",
    chat: "blank",
    mail: "blank",
    own: "resume",
  });
});

test("C13/scripted: no reset and no prune happens between a question and its answer", async () => {
  let now = new Date(2026, 2, 2, 10).getTime();
  const options = {
    settings: { reset: { mode: "daily" }, archiveAfter: "1d", prune: { after: "1d" } },
    now: () => now,
  };
  await using subject = await startScripted(options);
  const id = await subject.begin();
  subject.script([{ ask: "Which database?" }]);
  const { turn } = await subject.send("echo choose");
  expect(turn.turn.status).toBe("waiting");
  now += 7 * 24 * 3600_000;
  await subject.open(options);
  const report = await subject.reprise.sessions.prune({ enforce: true });
  expect(report).toMatchObject({ steps: [], spared: [{ key, action: "archive" }] });

  const launches = subject.witness.launches().length;
  const answered = await subject.reprise.turns.answer({ turn: turn.turn.id, text: "SQLite" });
  expect(answered).toMatchObject({ turn: { status: "done" }, decision: { outcome: "resume" } });
  expect(subject.witness.launches().slice(launches)).toMatchObject([{ resumed: id }]);
});
