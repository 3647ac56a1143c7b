import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createdSessionSchema, movedSessionSchema } from "@reprise/core/api/portable-schemas";
import { userName } from "@reprise/engine/engine";
import { openEngine } from "@reprise/engine/open-reprise";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

const { folder, run, runWith, remove } = testHome("portable");
afterAll(remove);
beforeAll(async () => {
  await run("agent", "create", "echo", "--provider", "scripted");
  await run("sessions", "send", "source", "remember APPLE-739", "--agent", "echo");
});

const question = "what did I ask you to remember?";

test("a fork reports its messages and what its first turn will do", async () => {
  expect(await run("sessions", "fork", "source", "human")).toEqual({
    code: 0,
    stdout: "Forked session human of echo (scripted) with 2 messages; its first turn can resume.\n",
    stderr: "",
  });
  const first = await run("sessions", "send", "human", question);
  expect(first.stdout).toBe("APPLE-739\n");
  expect(first.stderr).toContain("resume · all guards pass, forked · turn 1 of human");
  expect(first.stderr).toContain("! This session starts with the history of session source.");

  const { stdout } = await run("sessions", "fork", "source", "machine", "--at", "1", "--json");
  expect(createdSessionSchema().strict().parse(JSON.parse(stdout))).toMatchObject({
    key: "machine",
    next: "resume",
  });
});

test("a session moves to another folder, and its next turn there resumes", async () => {
  await run("sessions", "send", "moving", "remember PEAR-12", "--agent", "echo");
  await mkdir(join(folder, "other"));
  const moved = await run("sessions", "move", "moving", "--folder", "other");
  expect(moved).toMatchObject({ code: 0, stderr: "" });
  expect(moved.stdout).toContain(`Session moving works in ${join(folder, "other")}`);
  const next = await run("sessions", "send", "moving", question, "--folder", "other");
  expect(next.stdout).toBe("PEAR-12\n");
  expect(next.stderr).toContain("resume · all guards pass · turn 2 of moving");

  const again = await run("sessions", "move", "moving", "--folder", "other");
  expect(again).toMatchObject({ code: 0, stdout: moved.stdout });
  expect(again.stderr).toBe("! Session moving is already there; nothing was moved.\n");
});

test("--home after move is the agent's home, and before it Reprise's", async () => {
  const [home, there] = [join(folder, "agent-home"), join(folder, "reprise-home")];
  await mkdir(home);
  await run("agent", "create", "twin", "--provider", "scripted", "--home", there);
  await run("sessions", "send", "moving", "remember FIG-5", "--agent", "twin", "--home", there);
  const reprise = ["--home", there];
  const moved = await run(
    ...reprise,
    "sessions",
    "move",
    "moving",
    "--home",
    "agent-home",
    "--json",
  );
  const { agent, place, notices } = movedSessionSchema().strict().parse(JSON.parse(moved.stdout));
  expect({ agent, place, code: notices[0]?.code }).toEqual({
    agent: "twin",
    place: home,
    code: "other-home",
  });
  const same = await run("sessions", ...reprise, "move", "moving", `--home=${home}`);
  expect(same.code).toBe(0);
  expect(same.stderr).toContain("! Session moving is already there; nothing was moved.\n");
});

test("a bundle is readable by its owner alone, and can be imported into another home", async () => {
  const output = join(folder, "source.bundle");
  const exported = await run("sessions", "export", "source", "--output", "source.bundle");
  expect(exported).toMatchObject({
    code: 0,
    stdout: `Wrote session source into ${output}.\n`,
    stderr: expect.stringContaining("It contains the whole conversation"),
  });
  expect((await stat(output)).mode & 0o777).toBe(0o600);
  const before = await readFile(output);
  const again = await run("sessions", "export", "source", "--output", "source.bundle");
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("already exists") });
  expect(await readFile(output)).toEqual(before);

  const there = ["--home", join(folder, "there")];
  await run("agent", "create", "twin", "--provider", "scripted", ...there);
  const imported = await run(
    ...["sessions", "import", "source.bundle", "--agent", "twin", "--key", "here", ...there],
  );
  expect(imported.stdout).toBe(
    "Imported session here of twin (scripted) with 2 messages; its first turn can resume.\n",
  );
  const next = await run("sessions", "send", "here", question, ...there);
  expect(next.stdout).toBe("APPLE-739\n");
  expect(next.stderr).toContain("resume · all guards pass · turn 1 of here");

  const { stdout } = await run(
    ...["sessions", "export", "source", "--output", "words", "--transcript-only", "--json"],
  );
  expect(JSON.parse(stdout)).toMatchObject({ transcriptOnly: true, sensitive: true });
  const words = await run("sessions", "import", "words", "--agent", "twin", ...there);
  expect(words.stdout).toContain("its first turn will reseed");
  expect(words.stderr).toContain("! The bundle has only the transcript");
});

test("a conversation of the agent's own program is adopted", async () => {
  await run("sessions", "send", "native", "remember PLUM-3", "--agent", "echo");
  const { handle } = JSON.parse((await run("sessions", "show", "native", "--json")).stdout);
  await run("sessions", "purge", "native", "--yes");
  const adopt = ["sessions", "import", "--provider", "scripted", "--id", handle];
  // The only agent of that provider needs no name.
  const adopted = await run(...adopt, "--key", "taken");
  expect(adopted.stdout).toMatch(/^Adopted session taken of echo \(scripted\) with 2 messages/);
  expect((await run("sessions", "send", "taken", question)).stdout).toBe("PLUM-3\n");
});

test("an adoption that names no agent says which there are, and takes the one chosen for the folder", async () => {
  const home = ["--home", join(folder, "several")];
  const adopt = ["sessions", "import", "--provider", "scripted", "--id", "x", "--key", "k"];
  const none = await run(...adopt, ...home);
  expect(none).toMatchObject({ code: 4, stdout: "" });
  expect(none.stderr).toContain("agent create NAME --provider scripted");
  for (const name of ["echo", "twin"])
    await run("agent", "create", name, "--provider", "scripted", ...home);
  const several = await run(...adopt, ...home);
  expect(several).toMatchObject({ code: 2, stdout: "" });
  expect(several.stderr).toContain("several agents for the scripted agent: echo, twin.");
  const env = { REPRISE_DEFAULT_AGENT: "twin" };
  const chosen = await runWith({ env }, ...adopt, ...home);
  expect(chosen).toMatchObject({ code: 2, stderr: expect.stringContaining("session id") });
});

test.each([
  ["an unknown key", ["fork", "unknown", "new"], 4],
  ["a key that is there", ["fork", "source", "source"], 1],
  ["a key that is none", ["fork", "source", "a b"], 2],
  ["an unknown turn", ["fork", "source", "new", "--at", "77"], 4],
  ["no destination", ["move", "source"], 2],
  ["a folder that is not there", ["move", "source", "--folder", "nowhere"], 2],
  ["a home that is not there", ["move", "source", "--home", "nowhere"], 2],
  ["a home that is a file", ["move", "source", "--home", "notes.txt"], 2],
  ["a home without its name", ["move", "source", "--home"], 2],
  ["no output", ["export", "source"], 2],
  ["an output that cannot be written", ["export", "source", "--output", "no/such/file"], 5],
  ["no file", ["import", "nothing.bundle"], 4],
  ["another file", ["import", "notes.txt"], 2],
  ["nothing to import", ["import"], 2],
  ["half of an adoption", ["import", "--provider", "scripted", "--id", "x"], 2],
  ["two sources", ["import", "notes.txt", "--id", "x"], 2],
  ["nothing to open", ["open", "unknown"], 4],
])("%s: one sentence, and the exit code", async (_, argv, code) => {
  await writeFile(join(folder, "notes.txt"), "notes");
  const before = await readdir(folder);
  const { stderr, stdout, code: exit } = await run("sessions", ...argv);
  expect(stderr).toMatch(/^reprise: [^\n]+\n$/);
  expect({ stdout, exit }).toEqual({ stdout: "", exit: code });
  expect(await readdir(folder)).toEqual(before);
});

test("V19: events name the user or the turn that exported, backed up or restored", async () => {
  const env = { REPRISE_TURN: "t1" };
  const [bundle, file] = [join(folder, "audited.bundle"), join(folder, "audited.backup")];
  await runWith({ env }, "session", "export", "source", "--output", bundle);
  await runWith({ env }, "backup", file);
  const later = join(folder, "later.backup");
  await run("backup", later);
  const home = join(folder, "restored");
  expect((await run("restore", later, "--home", home)).code).toBe(0);
  const log = await eventsOf(home);
  const audited = log.filter(({ type }) => /^(session\.exported|home\..*)$/.test(type));
  expect(audited.slice(-4)).toMatchObject([
    { type: "session.exported", data: { by: "turn:t1" } },
    { type: "home.backed-up", data: { file, by: "turn:t1" } },
    { type: "home.restored", data: { by: userName(process.env) } },
    { type: "home.booted" },
  ]);
});

test("V19: events name the user who created, rotated or revoked a token", async () => {
  await run("token", "create", "ci", "--role", "viewer");
  await run("token", "rotate", "ci");
  await run("token", "revoke", "ci");
  const log = await eventsOf(join(folder, "home"));
  const by = userName(process.env);
  expect(log.filter(({ stream }) => stream === "token:ci")).toMatchObject([
    { type: "token.created", data: { role: "viewer", by } },
    { type: "token.rotated", data: { by } },
    { type: "token.revoked", data: { by } },
  ]);
});

async function eventsOf(home: string) {
  const { engine, reprise } = await openEngine({ home });
  try {
    return await engine.store.readEvents({ after: 0, limit: 1000 });
  } finally {
    await reprise.close();
  }
}
