/** C10 to C14 on API models: checkpoints, gates of days, archived and purged keys, modes. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { parseState, stateText } from "@reprise/providers/openai/state";
import { expect, test } from "vitest";
import { checkpoint } from "./c10-checkpoint.cases.ts";
import { gateOfDays } from "./c12-gate.cases.ts";
import { keeping } from "./c13-keeping.cases.ts";
import { keepingForRuns } from "./c13-runs.cases.ts";
import { modes } from "./c14-modes.cases.ts";
import { Database } from "./database.ts";
import { type OpenaiSubject, startOpenai } from "./openai-subject.ts";
import { codes, key, recall, secret, witnessed } from "./subject.ts";

checkpoint("openai", startOpenai);
gateOfDays("openai", startOpenai);
keeping("openai", startOpenai);
keepingForRuns("openai", startOpenai);
modes("openai", startOpenai);

function stateOf(subject: OpenaiSubject, id: string) {
  const state = parseState(readFileSync(subject.sessionFile(id)));
  if (typeof state === "string") throw new Error(`the state is ${state}`);
  return state;
}

test("C10/openai: tool calls without a result are trimmed from what is sent, and the session continues", async () => {
  await using subject = await startOpenai();
  const id = await subject.begin();
  const { messages } = stateOf(subject, id);
  const calls = [{ id: "call_1", name: "ls", arguments: "{}" }];
  const dangling = [...messages, { role: "user", content: "run ls" } as const];
  writeFileSync(
    subject.sessionFile(id),
    stateText({ id, messages: [...dangling, { role: "assistant", content: "", calls }] }),
  );
  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("resume");
  expect(seen.calls).toMatchObject([{ earlier: 3 }]);
  expect(subject.witness.wire().at(-1)).not.toContain("call_1");
  expect(seen.turn.notices.map(({ text }) => text).join()).toContain("without a counterpart");
  expect(seen.turn.output).toBe(secret);
});

test("C10/openai: a state of a later version is refused, and left as it is", async () => {
  await using subject = await startOpenai();
  const id = await subject.begin();
  const file = subject.sessionFile(id);
  const newer = readFileSync(file, "utf8").replace('"version":1', '"version":2');
  writeFileSync(file, newer);
  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("refuse");
  expect(seen.turn).toMatchObject({
    turn: { status: "refused" },
    error: { code: "history-newer", hint: expect.stringContaining("Update Reprise") },
  });
  expect(readFileSync(file, "utf8")).toBe(newer);
  const reseeded = await subject.send(recall, { continuity: "reseed" });
  expect(witnessed(reseeded, id)).toBe("reseed");
  expect(reseeded.turn.output).toBe(secret);
});

test("C10/openai: the state of another session in its place ⇒ restored", async () => {
  await using subject = await startOpenai();
  const id = await subject.begin();
  const other = await subject.begin({ key: "other" });
  writeFileSync(subject.sessionFile(id), readFileSync(subject.sessionFile(other)));
  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("resume");
  expect(codes(seen.turn)).toContain("restored");
});

test("C10/openai: a checkpoint stores what the turn added, and has the model of each answer", async () => {
  await using subject = await startOpenai();
  const id = await subject.begin();
  const sizes: number[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    await subject.send(`echo ${"word ".repeat(400)}`, { model: `model-${turn}` });
    using database = new Database(subject);
    const [row] = database.rows<{ size: number }>("SELECT sum(size) AS size FROM blob");
    sizes.push(row!.size);
  }
  const added = sizes.slice(1).map((size, index) => size - sizes[index]!);
  const whole = readFileSync(subject.sessionFile(id)).length;
  // Once in a while the whole file is stored again, so that a damaged part does not spoil all that follow.
  expect(added.filter((size) => size < whole / 2).length).toBeGreaterThanOrEqual(4);

  rmSync(subject.sessionFile(id));
  const seen = await subject.send(recall);
  expect(codes(seen.turn)).toEqual(expect.arrayContaining(["restored", "model"]));
  expect(seen.turn.output).toBe(secret);
  expect(JSON.stringify(await subject.reprise.sessions.show(key))).not.toContain("key-of-the");
});
