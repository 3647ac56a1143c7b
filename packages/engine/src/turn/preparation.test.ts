import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { Database } from "../../../../test/conformance/database.ts";
import { startScripted } from "../../../../test/conformance/scripted-subject.ts";
import { codes, recall, secret, witnessed } from "../../../../test/conformance/subject.ts";

test("a checkpoint that does not tell what it has is believed only if it is what was confirmed", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  await subject.send("echo second");
  {
    using database = new Database(subject);
    database.change("DELETE FROM checkpoint_part WHERE number = 2");
    database.change("DELETE FROM checkpoint WHERE number = 2");
    database.change("UPDATE checkpoint SET standing = NULL");
  }
  rmSync(subject.sessionFile(id));

  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("reseed");
  expect(seen.turn).toMatchObject({ decision: { reason: "intact" }, output: secret });
});

test("S21: files that cannot be restored do not fail the turn: it is decided again", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  rmSync(subject.sessionFile(id));
  mkdirSync(`${subject.sessionFile(id)}.restoring`);

  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("reseed");
  expect(codes(seen.turn)).toContain("history-lost");
  expect(seen.turn).toMatchObject({ turn: { status: "done" }, output: secret });
  const intact = seen.turn.decision?.verdicts.find(({ guard }) => guard === "intact");
  expect(intact?.current).toMatch(/checkpoint not restored\)$/);
});

test("what was typed in the agent's own program survives that the turn after it is undone", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const typed = [
    { role: "user", text: "typed by hand" },
    { role: "assistant", text: "read" },
  ].map((item) => `${JSON.stringify(item)}\n`);
  appendFileSync(subject.sessionFile(id), typed.join(""));
  subject.misbehave("cut-off");
  expect((await subject.send("echo this fails")).turn.turn.status).toBe("failed");
  expect(readFileSync(subject.sessionFile(id), "utf8")).toContain("this fails");

  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("resume");
  expect(codes(seen.turn)).toContain("unconfirmed-undone");
  expect(seen.calls).toMatchObject([{ earlier: 4 }]);
  const history = readFileSync(subject.sessionFile(id), "utf8");
  expect(history).toContain("typed by hand");
  expect(history).not.toContain("this fails");
});

test("a turn without a tool on top of one that was kept for its tools is kept with it", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  subject.misbehave("fail-after-tool");
  await subject.send("echo with a tool");
  subject.misbehave("cut-off");
  await subject.send("echo without");
  rmSync(subject.sessionFile(id));

  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("resume");
  expect(codes(seen.turn)).toEqual(expect.arrayContaining(["restored", "unconfirmed-kept"]));
  expect(readFileSync(subject.sessionFile(id), "utf8")).toContain("with a tool");
  expect(seen.turn.output).toBe(secret);
  expect(witnessed(await subject.send("echo on"), id)).toBe("resume");
});
