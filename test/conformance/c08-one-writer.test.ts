/** C08 on the scripted agent. */

import { expect, test } from "vitest";
import { until } from "../until.ts";
import { oneWriter } from "./c08-one-writer.cases.ts";
import { Database } from "./database.ts";
import { startScripted } from "./scripted-subject.ts";
import { key } from "./subject.ts";

oneWriter("scripted", startScripted);

test("C08/scripted: a process that loses a turn which it recovered from another still serves its own", async () => {
  await using subject = await startScripted();
  await subject.begin();
  const hold = subject.hold();
  const send = (prompt: string) => ({ key, agent: "coder", prompt });
  const dead = subject.caller({ send: send("echo first") });
  await hold.reached();
  dead.child.kill("SIGKILL");
  await dead.ended;
  const token = () => subject.turns()[1]!.token;
  const begun = token();

  const second = subject.send("echo second");
  await until(() => token() === begun + 1);
  {
    using database = new Database(subject);
    database.disownTurn(subject.turns()[1]!.id);
  }
  const third = subject.caller({ send: send("echo third") });
  await until(() => token() === begun + 2);
  hold.release();

  expect((await second).turn).toMatchObject({ turn: { status: "done" }, output: "second" });
  expect(await third.ended).toMatchObject({ code: 0, result: { output: "third" } });
  expect(subject.ledger("answer").map(({ text }) => text)).toEqual([
    "I will remember APPLE-739",
    "first",
    "second",
    "third",
  ]);
});
