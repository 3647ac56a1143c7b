/** C23 on the scripted agent, which is also opened as a person would open it. */

import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { nativeTurns } from "./c23-native-turns.cases.ts";
import { Database } from "./database.ts";
import { type ScriptedSubject, startScripted } from "./scripted-subject.ts";
import { codes, key, recall, remember, secret, witnessed } from "./subject.ts";

nativeTurns("scripted", startScripted);

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));

/** `reprise session open` with a person at its standard input. */
function opened({ folder, env, home }: ScriptedSubject) {
  // Node closes the input of a child that ends. This one is also the input of the agent, which may live on.
  const keyboard = spawn("cat", { stdio: ["pipe", "pipe", "inherit"] });
  const child = spawn(process.execPath, [program, "sessions", "open", key], {
    cwd: folder,
    env: { ...env, REPRISE_HOME: home },
    stdio: [keyboard.stdout, "pipe", "pipe"],
  });
  const ended = Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once("close", resolve)),
  ]).then(([stdout, stderr, code]) => ({ stdout, stderr, code }));
  return { child, keys: keyboard.stdin, ended };
}

test("C23/scripted: what is typed into an opened session is imported when it ends, and reported", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const { keys, ended } = opened(subject);
  keys.end("remember PEAR-12\n\nhow many turns?\n");
  expect(await ended).toEqual({
    code: 0,
    stdout: "I will remember PEAR-12\nThis is turn 3.\n",
    stderr: [
      `Opening session ${key} in its agent's own program. The conversation is imported when the program ends.\n`,
      `Imported 4 messages into session ${key}; its next turn continues from there.\n`,
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

test("S0d C23/scripted: a rewind in an opened session is followed; what was taken back is marked and never sent again", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  await subject.send("echo second");
  await subject.send("echo third");
  const { keys, ended } = opened(subject);
  keys.end("/rewind 2\nremember PEAR-12\n");
  expect(await ended).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      "rewound in the provider's own program: 4 messages were taken back",
    ),
  });
  const { recent } = await subject.reprise.sessions.show(key);
  expect(recent.map(({ prompt, takenBack }) => [prompt, takenBack])).toEqual([
    [expect.stringContaining("opened"), false],
    ["echo third", true],
    ["echo second", true],
    [remember, false],
  ]);
  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("resume");
  expect(seen.calls).toMatchObject([{ earlier: 4 }]);
  expect(seen.turn.output).toBe("PEAR-12");
  expect(codes(seen.turn)).toEqual([]);
  const reseeded = await subject.send(recall, { continuity: "reseed" });
  expect(witnessed(reseeded, id)).toBe("reseed");
  expect(reseeded.calls[0]?.prompt).toContain("remember PEAR-12");
  expect(reseeded.calls[0]?.prompt).not.toContain("second");
});

test("S0d C23/scripted: a rewind that Reprise did not see is explained, verified, and followed by the next turn, a reseed too", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  await subject.send("echo second");
  appendFileSync(
    subject.sessionFile(id),
    '{"role":"rewind","text":"1"}\n{"role":"user","text":"echo other"}\n{"role":"assistant","text":"other"}\n',
  );
  const { decision } = await subject.reprise.sessions.explain({ key });
  expect(decision).toMatchObject({ outcome: "resume", prepare: [] });
  const verdict = decision.verdicts.find(({ guard }) => guard === "intact");
  expect(verdict).toMatchObject({ passed: true, current: "rewound to item 2, 2 new" });
  expect(await subject.reprise.sessions.verify(key)).toMatchObject([
    { history: "rewound", sound: true },
  ]);
  // A new provider session is sent what is current, and nothing that was taken back.
  const seen = await subject.send("what was last?", { continuity: "reseed" });
  expect(witnessed(seen, id)).toBe("reseed");
  expect(codes(seen.turn)).toContain("rewound");
  expect(seen.calls[0]?.prompt).toContain("echo other");
  expect(seen.calls[0]?.prompt).not.toContain("echo second");
});

test("S0d C23/scripted: what was taken back stays so in a copy, and is current in a fork from before", async () => {
  await using subject = await startScripted();
  const { reprise } = subject;
  const id = await subject.begin();
  await subject.send("echo second");
  appendFileSync(subject.sessionFile(id), '{"role":"rewind","text":"1"}\n');
  const third = await subject.send("echo third");
  expect(codes(third.turn)).toEqual(["rewound"]);
  expect(third.calls).toMatchObject([{ earlier: 2 }]);

  await reprise.sessions.fork({ key, newKey: "now" });
  const now = await subject.send(recall, { key: "now" });
  expect(now.turn).toMatchObject({ decision: { outcome: "resume" }, output: secret });
  expect(now.calls).toMatchObject([{ earlier: 4 }]);
  const again = await subject.send(recall, { key: "now", continuity: "reseed" });
  expect(again.calls[0]?.prompt).not.toContain("echo second");

  await reprise.sessions.fork({ key, newKey: "before", at: "2" });
  const before = await subject.send(recall, { key: "before" });
  expect(before.turn).toMatchObject({ decision: { outcome: "resume" }, output: secret });
  expect(before.calls).toMatchObject([{ earlier: 4 }]);
  const reseeded = await subject.send(recall, { key: "before", continuity: "reseed" });
  expect(reseeded.calls[0]?.prompt).toContain("echo second");
  expect(reseeded.calls[0]?.prompt).not.toContain("echo third");
});

test("S0d C23/scripted: a rewind with a damaged beginning is damage, and is restored", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  await subject.send("echo second");
  const file = subject.sessionFile(id);
  writeFileSync(file, readFileSync(file, "utf8").replace("echo second", "echo altered"));
  appendFileSync(file, '{"role":"rewind","text":"1"}\n');
  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("resume");
  expect(codes(seen.turn)).toContain("restored");
  expect(seen.calls).toMatchObject([{ earlier: 4 }]);
});

test("C23/scripted: an opened session is in use, also when Reprise was killed beside it", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const { child, keys, ended } = opened(subject);
  keys.write("remember PEAR-12\n");
  await new Promise((answered) => child.stdout.once("data", answered));
  const busy = subject.reprise.sessions.send({ key, prompt: recall, busy: "fail" });
  await expect(busy).rejects.toMatchObject({ code: "busy" });

  child.kill("SIGKILL");
  await subject.open();
  const again = subject.reprise.sessions.send({ key, prompt: recall, busy: "fail" });
  await expect(again).rejects.toMatchObject({ code: "busy" });
  const waiting = subject.send(recall);
  keys.end("echo still here\n");
  await ended;

  const seen = await waiting;
  expect(witnessed({ launches: seen.launches.slice(-1), calls: seen.calls.slice(-1) }, id)).toBe(
    "resume",
  );
  expect(seen.turn.output).toBe("PEAR-12");
  expect(codes(seen.turn)).toContain("native-turns");
});

test("S0j C23/scripted: what is typed while a turn runs is imported and said", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const hold = subject.hold();
  const running = subject.send("echo on");
  await hold.reached();
  const typed = [
    { role: "user", text: "remember PEAR-12" },
    { role: "assistant", text: "I will remember PEAR-12" },
  ];
  for (const item of typed) appendFileSync(subject.sessionFile(id), `${JSON.stringify(item)}\n`);
  hold.release();
  const { turn } = await running;
  expect(turn).toMatchObject({ turn: { status: "done" }, output: "on" });
  expect(turn.notices).toContainEqual({
    code: "native-turns",
    text: "2 messages were added in the provider's own program while this turn ran; they are kept.",
  });
  using database = new Database(subject);
  expect(database.rows("SELECT role, text, origin FROM message ORDER BY seq")).toMatchObject([
    {},
    {},
    { role: "user", text: "echo on", origin: "turn" },
    { role: "assistant", text: "on", origin: "turn" },
    { ...typed[0], origin: "native" },
    { ...typed[1], origin: "native" },
  ]);
  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("resume");
  expect(codes(seen.turn)).toEqual([]);
  expect(seen.turn.output).toBe("PEAR-12");
});
