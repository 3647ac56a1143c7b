/** C23 on the scripted agent, opened on a terminal; it reads lines as the terminal gives them. */

import { withMark } from "@reprise/providers/launch/process";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { type OwnProgram, openedSessions, openOn } from "./c23-open.cases.ts";
import { startScripted } from "./scripted-subject.ts";
import { codes, key, recall, witnessed } from "./subject.ts";
import { controlC, controlD, enter } from "./terminal.ts";

const own: OwnProgram = {
  ready: /in its agent's own program/,
  answered: /I will remember PEAR-12/,
  leave: async (terminal) => terminal.press(controlD),
  exit: 0,
};

openedSessions("scripted", startScripted, own);

test("C23/scripted: Ctrl-C is for the program; Reprise stays, and imports", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  using terminal = openOn(subject);
  await terminal.shows(own.ready);
  await terminal.type("remember PEAR-12");
  terminal.press(enter);
  await terminal.shows(own.answered);
  terminal.press(controlC);
  expect(await terminal.ended).toBe(130);
  expect(terminal.text()).toContain(`Imported 2 messages into session ${key}`);
  expect(terminal.text()).not.toContain("Cancelling");
  expect(witnessed(await subject.send(recall), id)).toBe("resume");
});

test("C23/scripted: Ctrl-C while the session is in use opens nothing", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const hold = subject.hold();
  const running = subject.send("echo on");
  await hold.reached();
  using terminal = openOn(subject);
  await terminal.shows(/is in use; waiting/);
  terminal.press(controlC);
  expect(await terminal.ended).toBe(130);
  expect(terminal.text()).toContain("Nothing was opened");
  hold.release();
  await running;
  expect(witnessed(await subject.send(recall), id)).toBe("resume");
});

test("C23/scripted: what was queued while it was open is served when it ends", async () => {
  await using subject = await startScripted();
  await subject.begin();
  using terminal = openOn(subject);
  await terminal.shows(own.ready);
  await terminal.type("remember PEAR-12");
  terminal.press(enter);
  await terminal.shows(own.answered);
  const queued = await subject.reprise.sessions.send({ key, prompt: recall, busy: "queue" });
  expect(queued.turn.status).toBe("queued");
  await own.leave(terminal);
  expect(await terminal.ended).toBe(0);
  expect(await subject.reprise.turns.why(queued.turn.id)).toMatchObject({
    turn: { status: "done" },
    output: "PEAR-12",
  });
});

test("S21: an open whose terminal is killed does not say that the agent was not started", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  using terminal = openOn(subject);
  await terminal.shows(own.ready);
  await terminal.type("remember PEAR-12");
  terminal.press(enter);
  await terminal.shows(own.answered);
  const { id: turn } = subject.turns().at(-1)!;
  terminal[Symbol.dispose]();
  await until(() => withMark(turn).length === 0);

  const seen = await subject.send(recall);
  expect(await subject.reprise.turns.why(turn)).toMatchObject({
    turn: { status: "interrupted" },
    error: {
      message: `Reprise was ended while session ${key} was open in the agent's own program; what was typed there was not imported then.`,
      hint: "The next turn of the session imports it.",
    },
  });
  expect(witnessed(seen, id)).toBe("resume");
  expect(codes(seen.turn)).toContain("native-turns");
  expect(seen.turn.output).toBe("PEAR-12");
});
