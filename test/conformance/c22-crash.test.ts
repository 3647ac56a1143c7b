/** C22 on the scripted agent. */

import { expect, test } from "vitest";
import { until } from "../until.ts";
import { crash } from "./c22-crash.cases.ts";
import { startScripted } from "./scripted-subject.ts";
import { codes, key, recall } from "./subject.ts";

crash("scripted", startScripted);

test("C22/scripted: a turn that was queued and acknowledged runs, although every process that knew of it is dead", async () => {
  await using subject = await startScripted();
  await subject.begin();
  const hold = subject.hold();
  const first = subject.caller({ send: { key, agent: "coder", prompt: "echo first" } });
  await hold.reached();
  const send = { key, agent: "coder", prompt: "echo queued", busy: "queue" } as const;
  const queued = subject.caller({ send });
  await until(() => subject.turns().length === 3);
  first.child.kill("SIGKILL");
  queued.child.kill("SIGKILL");
  await Promise.all([first.ended, queued.ended]);
  hold.release();

  await subject.send(recall);
  const last = subject.ledger("model").map(({ prompt }) => String(prompt).split("\n").at(-1));
  expect(last).toEqual(["remember APPLE-739", "echo first", "echo queued", recall]);
  expect(subject.turns().map(({ status }) => status)).toEqual(["done", "done", "done", "done"]);
});

test("C22/scripted: killed with a tool running ⇒ the tool ran once, and the next turn knows of it", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  subject.script([{ tool: "make" }, { touch: "made" }, { "wait-for": "go" }, "crash"]);
  const killed = subject.caller({ send: { key, agent: "coder", prompt: "echo build" } });
  await subject.touched("made");
  killed.child.kill("SIGKILL");
  await killed.ended;
  subject.touch("go");

  const next = await subject.send(recall);
  expect(subject.turns().map(({ status }) => status)).toEqual(["done", "interrupted", "done"]);
  expect(subject.ledger("tool")).toHaveLength(1);
  expect(next.calls).toMatchObject([{ session: id, earlier: 4 }]);
  expect(next.calls[0]?.prompt).not.toContain("echo build");
  expect(codes(next.turn)).toContain("unconfirmed-kept");
});
