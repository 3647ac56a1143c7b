/** C21 on the scripted agent, which can also forget and compact by itself. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { silentLoss } from "./c21-silent-loss.cases.ts";
import { startScripted } from "./scripted-subject.ts";
import { codes, recall, secret, witnessed } from "./subject.ts";

const fewFiles = fileURLToPath(new URL("./few-files.ts", import.meta.url));

silentLoss("scripted", startScripted);

test("C21/scripted: the answer of an agent that lost its history is not trusted, and the next turn has all of it", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  subject.script([{ forget: 2 }]);
  const forgetful = await subject.send("echo PEAR");
  expect(forgetful.calls).toMatchObject([{ session: id, earlier: 0 }]);
  const next = await subject.send(recall);
  expect(next.launches).toMatchObject([{ resumed: id }]);
  expect(next.calls).toMatchObject([{ session: id, earlier: 2 }]);
  expect(next.calls[0]?.prompt).toContain("PEAR");
  expect(codes(next.turn)).toContain("restored");
  expect(next.turn.output).toBe(secret);
});

test("S15 C21/scripted: too many open files are an error, never a lost history; the pin stays", async () => {
  await using subject = await startScripted();
  const { root, folder, env } = subject;
  const { stdout } = await promisify(execFile)(
    "/bin/sh",
    ["-c", 'ulimit -n 96; exec "$@"', "sh", process.execPath, fewFiles, `${root}/few`, folder],
    { env: { ...env } },
  );
  const { explained, refused, sent } = JSON.parse(stdout);
  const error = {
    code: "history-unread",
    message: expect.stringContaining("too many open files (EMFILE)"),
  };
  expect(explained.decision).toMatchObject({ outcome: "refuse", reason: "intact", error });
  expect(refused).toMatchObject({ turn: { status: "refused" }, error });
  expect(sent).toMatchObject({ decision: { outcome: "resume" }, output: secret, notices: [] });
});

test("C21/scripted: an agent that compacted its own history has lost nothing", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  subject.script(["compact"]);
  const compacted = await subject.send("echo on");
  expect(compacted.turn.turn.status).toBe("done");
  const next = await subject.send(recall);
  expect(witnessed(next, id)).toBe("resume");
  expect(next.calls).toMatchObject([{ earlier: 3 }]);
  expect(codes(next.turn)).not.toContain("restored");
  expect(next.turn.output).toBe(secret);
});
