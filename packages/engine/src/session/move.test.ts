import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Database } from "../../../../test/conformance/database.ts";
import { startScripted } from "../../../../test/conformance/scripted-subject.ts";
import { codes, key, recall, secret, witnessed } from "../../../../test/conformance/subject.ts";

test("in another folder a session reseeds, unless it was moved there", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const folder = subject.newFolder("elsewhere");
  const { decision } = await subject.reprise.sessions.explain({ key, folder });
  expect(decision).toMatchObject({ outcome: "reseed", reason: "folder" });

  const moved = await subject.reprise.sessions.move({ key, folder });
  expect(moved).toMatchObject({ handle: id, folder, place: subject.agentHome, notices: [] });
  const seen = await subject.send(recall, { folder });
  expect(witnessed(seen, id)).toBe("resume");
  expect(codes(seen.turn)).toEqual([]);
  expect(seen.turn.output).toBe(secret);
});

test("in another home of its agent a session continues, with what was typed there", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const home = subject.newFolder("another-agent");
  const typed = [
    { role: "user", text: "remember PEAR-12" },
    { role: "assistant", text: "I will remember PEAR-12" },
  ];
  const file = subject.sessionFile(id);
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text + typed.map((item) => `${JSON.stringify(item)}\n`).join(""));

  const early = await subject.reprise.sessions.move({ key, home });
  expect(early).toMatchObject({ handle: id, place: home, notices: [{ code: "other-home" }] });
  await subject.reprise.agents.set({ name: "coder", settings: { home } });
  rmSync(subject.agentHome, { recursive: true });
  expect(await subject.reprise.sessions.verify(key)).toMatchObject([{ history: "advanced" }]);
  const { turn } = await subject.reprise.sessions
    .send({ key, prompt: recall })
    .then((result) => ({ turn: result }));
  expect(turn).toMatchObject({ decision: { outcome: "resume" }, output: "PEAR-12" });
  expect(codes(turn)).toContain("native-turns");
});

test("moved to where it is, nothing happens, and that is said", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const before = readFileSync(subject.sessionFile(id));
  const link = join(subject.root, "link");
  symlinkSync(subject.agentHome, link);
  const { sessions } = subject.reprise;
  for (const to of [{ folder: subject.folder }, { home: subject.agentHome }, { home: link }]) {
    const { place, notices } = await sessions.move({ key, ...to });
    expect(place).toBe(subject.agentHome);
    expect(notices).toMatchObject([{ code: "already-there" }]);
  }
  expect(readFileSync(subject.sessionFile(id))).toEqual(before);
  expect(existsSync(join(subject.home, "found", key))).toBe(false);
});

test("a session that lives in another home than its agent's stays there in another folder", async () => {
  await using subject = await startScripted();
  await subject.begin();
  const home = subject.newFolder("another-agent");
  const folder = subject.newFolder("elsewhere");
  await subject.reprise.sessions.move({ key, home });
  const moved = await subject.reprise.sessions.move({ key, folder });
  expect(moved).toMatchObject({ folder, place: home, notices: [{ code: "other-home" }] });
});

test("a damaged history is moved from its checkpoint, and a lost one is not moved", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  subject.loseFile(id);
  const home = subject.newFolder("another-agent");
  await subject.reprise.sessions.move({ key, home });
  expect(readFileSync(join(home, "sessions", `${id}.jsonl`), "utf8")).toContain(secret);

  rmSync(home, { recursive: true });
  {
    using database = new Database(subject);
    database.dropCheckpoints();
  }
  const third = subject.newFolder("third");
  await expect(subject.reprise.sessions.move({ key, home: third })).rejects.toMatchObject({
    code: "history-unfit",
  });
  expect(readdirSync(third)).toEqual([]);
});

test("what cannot be written leaves everything as it was", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const home = subject.newFolder("another-agent");
  // A file where the agent's folder would be.
  writeFileSync(join(home, "sessions"), "");
  await expect(subject.reprise.sessions.move({ key, home })).rejects.toThrow();
  expect(readFileSync(join(home, "sessions"), "utf8")).toBe("");
  expect(witnessed(await subject.send(recall), id)).toBe("resume");
});

test("while a turn has the session it is not moved, and the files go back", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const hold = subject.hold();
  const running = subject.send("echo on");
  await hold.reached();
  const home = subject.newFolder("another-agent");
  await expect(subject.reprise.sessions.move({ key, home })).rejects.toMatchObject({
    code: "busy",
    exitCode: 1,
  });
  expect(existsSync(join(home, "sessions", `${id}.jsonl`))).toBe(false);
  hold.release();
  await running;
  expect(witnessed(await subject.send(recall), id)).toBe("resume");
});

test("a file of another history in the way is kept aside, and goes with a purge", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const home = subject.newFolder("another-agent");
  mkdirSync(join(home, "sessions"), { recursive: true });
  writeFileSync(join(home, "sessions", `${id}.jsonl`), '{"role":"user","text":"something else"}\n');
  chmodSync(home, 0o700);
  await subject.reprise.sessions.move({ key, home });
  expect(existsSync(join(subject.home, "found", key))).toBe(true);
  await subject.reprise.sessions.purge(key);
  expect(existsSync(join(subject.home, "found", key))).toBe(false);
});

test.each([
  ["nowhere", {}, "bad-input"],
  ["a folder that is not there", { folder: "/dev/null/nowhere" }, "folder-missing"],
  ["a home that is not there", { home: "/dev/null/nowhere" }, "home-missing"],
  ["a home that is a file", { home: "/dev/null" }, "home-missing"],
])("%s is refused", async (_, input, code) => {
  await using subject = await startScripted();
  await subject.begin();
  await expect(subject.reprise.sessions.move({ key, ...input })).rejects.toMatchObject({ code });
});
