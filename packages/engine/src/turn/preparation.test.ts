import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { Database } from "../../../../test/conformance/database.ts";
import { startScripted } from "../../../../test/conformance/scripted-subject.ts";
import { recall, secret, witnessed } from "../../../../test/conformance/subject.ts";

test("a checkpoint that is whole, but older than what was confirmed, is not taken for the history", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  await subject.send("echo second");
  {
    using database = new Database(subject);
    database.change("DELETE FROM checkpoint_part WHERE number = 2");
    database.change("DELETE FROM checkpoint WHERE number = 2");
  }
  rmSync(subject.sessionFile(id));

  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("reseed");
  expect(seen.turn).toMatchObject({ decision: { reason: "intact" }, output: secret });
});
