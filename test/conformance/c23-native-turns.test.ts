/** C23 on the scripted agent, which is also opened as a person would open it. */

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { nativeTurns } from "./c23-native-turns.cases.ts";
import { type ScriptedSubject, startScripted } from "./scripted-subject.ts";
import { codes, key, recall, witnessed } from "./subject.ts";

nativeTurns("scripted", startScripted);

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));

/** `reprise sessions open` with somebody at its standard input. */
function opened({ folder, env, home }: ScriptedSubject) {
  const child = spawn(process.execPath, [program, "sessions", "open", key], {
    cwd: folder,
    env: { ...env, REPRISE_HOME: home },
  });
  const ended = Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once("close", resolve)),
  ]).then(([stdout, stderr, code]) => ({ stdout, stderr, code }));
  return { child, ended };
}

test("C23/scripted: what is typed into an opened session is imported when it ends, and said", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const { child, ended } = opened(subject);
  child.stdin.end("remember PEAR-12\n\nhow many turns?\n");
  expect(await ended).toEqual({
    code: 0,
    stdout: "I will remember PEAR-12\nThis is turn 3.\n",
    stderr: [
      `Session ${key} opens in its agent's own program; what is said there is imported when it ends.\n`,
      `Imported 4 messages into session ${key}; its next turn goes on from there.\n`,
    ].join(""),
  });
  expect(await subject.reprise.turns.why(key)).toMatchObject({
    turn: { seq: 2, status: "done" },
    decision: { outcome: "resume" },
  });
  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("resume");
  expect(seen.calls).toMatchObject([{ earlier: 6 }]);
  expect(seen.turn.output).toBe("PEAR-12");
  expect(codes(seen.turn)).toEqual([]);
});

test("C23/scripted: an opened session is in use, also when Reprise was killed beside it", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const { child, ended } = opened(subject);
  child.stdin.write("remember PEAR-12\n");
  await new Promise((answered) => child.stdout.once("data", answered));
  const busy = subject.reprise.sessions.send({ key, prompt: recall, busy: "fail" });
  await expect(busy).rejects.toMatchObject({ code: "busy" });

  child.kill("SIGKILL");
  await subject.open();
  const again = subject.reprise.sessions.send({ key, prompt: recall, busy: "fail" });
  await expect(again).rejects.toMatchObject({ code: "busy" });
  const waiting = subject.send(recall);
  child.stdin.end("echo still here\n");
  await ended;

  const seen = await waiting;
  expect(witnessed({ launches: seen.launches.slice(-1), calls: seen.calls.slice(-1) }, id)).toBe(
    "resume",
  );
  expect(seen.turn.output).toBe("PEAR-12");
  expect(codes(seen.turn)).toContain("native-turns");
});
