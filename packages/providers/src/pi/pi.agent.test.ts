/** Checks the provider's assumptions with the real pi against a model server on loopback. */

import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { SessionLostError } from "@reprise/core/errors/errors";
import type { Handle } from "@reprise/core/session/pin";
import { describe, expect, test } from "vitest";
import { agentBinary } from "../../../../test/agents/agents.ts";
import { makePiHome, piEnvironment } from "../../../../test/agents/pi-home.ts";
import {
  type AgentTurn,
  end,
  failure,
  hash,
  realProvider,
  type TurnOptions,
} from "../../../../test/agents/real-provider.ts";
import { appears } from "../../../../test/until.ts";
import { startChatServer } from "../models/openai-chat.ts";
import type { AgentCommand, LaunchAccess } from "../provider.ts";
import { bySettings } from "../test-access.ts";
import { pi } from "./provider.ts";

const real = realProvider(pi, {
  startModelServer: startChatServer,
  makeHome: makePiHome,
  env: piEnvironment,
});
const { turn, conversation, history, sent } = real;
const sessionFile = ({ id }: Handle) =>
  join(real.home, globSync(`sessions/*/*_${id}.jsonl`, { cwd: real.home })[0]!);
const deniedTools = ({ events }: AgentTurn) =>
  events.flatMap((event) => (event.type === "denied" ? [event.tool] : []));
const recall = "what did I ask you to remember?";

const requestFor = (resume: Handle) => {
  const { binary, runtime } = real.found;
  const request = { agent: real.agent, binary, runtime, resume, newId: null };
  return { ...request, folder: real.work, model: null, access: bySettings };
};

async function launched({ argv, env }: AgentCommand, prompt: string) {
  const [program = "", ...args] = argv;
  const child = spawn(program, args, {
    cwd: real.work,
    env: { ...real.agent.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(prompt);
  const reader = pi.reader();
  return (await text(child.stdout)).split("\n").flatMap((line) => reader.line(line));
}

describe("pi", () => {
  test("is found, with its abilities and account", () => {
    expect(real.found).toEqual({
      binary: expect.stringMatching(/\/pi-coding-agent\/dist\/bundle\/cli\.js$/),
      runtime: {
        product: "pi",
        home: real.home,
        version: "1.5.0",
        abilities: ["resume", "model-on-resume"],
      },
      account: `loopback:key:${hash("secret")}`,
    });
    expect(agentBinary("pi")).toMatch(/\.bin\/pi$/);
  });

  test("a new session has the id that we chose, a resumed one the same, and remembers", async () => {
    const first = await turn("remember APPLE-739");
    expect(first).toMatchObject({ code: 0, answer: "I will remember APPLE-739." });
    expect(first.id).toMatch(pi.manifest.idPattern);
    const second = await turn(recall, first.id);
    expect(second).toMatchObject({ code: 0, id: first.id, answer: "APPLE-739" });
    const other = await turn(recall);
    expect(other.answer).toBe("You did not ask me to remember anything.");
  });

  test("an unknown id is refused before anything is sent", async () => {
    const refused = await turn("y", "11111111-1111-4111-8111-111111111111");
    expect(failure(refused)).toMatchObject({ kind: "missing" });
    await expect(turn("hello", "11111111")).rejects.toThrow(SessionLostError);
    await expect(turn("hello", join(real.home, "x.jsonl"))).rejects.toThrow(SessionLostError);
    expect(real.server.requests).toEqual([]);
  });

  test("a session of another folder is not taken, nor forked by the prompt", async () => {
    const { id } = await turn("remember APPLE-739");
    const there = sessionFile({ id: id!, place: real.home });
    const lines = readFileSync(there, "utf8").split("\n");
    const header = { ...JSON.parse(lines[0]!), cwd: real.folder };
    writeFileSync(there, [JSON.stringify(header), ...lines.slice(1)].join("\n"));
    const seen = await turn("y", id);
    // Pi continues it in the folder that it names, which the file of a moved session says.
    expect(seen.id).toBe(id);
    expect(JSON.stringify(real.server.requests.at(-1)!.body)).toContain(`${real.folder}\\n</cwd>`);
    expect(globSync("sessions/*/*.jsonl", { cwd: real.home })).toHaveLength(1);
  });

  test("the history before a turn is the beginning of the history after it", async () => {
    const handle = await conversation("echo one");
    let before = await history(handle);
    expect(before.items.map(({ role, text: words }) => [role, words])).toEqual([
      ["user", "echo one"],
      ["assistant", "one"],
    ]);
    // Rules, model and context files change the system prompt, but not the conversation.
    const edit: Partial<LaunchAccess> = { level: "edit", named: true };
    const turns: [string, TurnOptions][] = [
      ["echo two", { access: edit }],
      ["run echo three", {}],
      ["echo four", { model: "loopback/other-model" }],
    ];
    for (const [prompt, options] of turns) {
      writeFileSync(join(real.work, "AGENTS.md"), `Before "${prompt}".\n`);
      expect((await turn(prompt, handle.id, options)).code).toBe(0);
      const after = await history(handle);
      expect(end(after, before.items.length)).toEqual(end(before));
      expect(after.items.length).toBeGreaterThan(before.items.length);
      before = after;
    }
    expect(before.items.map(({ role }) => role).join(" ")).toBe(
      "user assistant user assistant user tool tool assistant user assistant",
    );
  });

  test("a session keeps the model of its last turn; the default is that of the settings", async () => {
    const models = ({ events }: AgentTurn) =>
      events.flatMap((event) => (event.type === "model" ? [event.name] : []));
    const other = "loopback/other-model";
    const { id } = await turn("hello", null, { model: other });
    expect(models(await turn("hello", id))).toEqual([other]);
    const usual = await turn("hello", id, { model: pi.manifest.defaultModel! });
    expect(models(usual)).toEqual(["loopback/test-model"]);
  });

  test("usage is that of the turn alone, of all its requests", async () => {
    const usage = ({ events }: AgentTurn) => events.find((event) => event.type === "usage")!.usage;
    const first = await turn("echo one");
    const second = await turn("echo two", first.id);
    expect(usage(first)).toMatchObject({ cachedRead: 0 });
    expect(usage(second).cachedRead).toBeGreaterThan(0.9 * usage(first).uncached!);
    expect(usage(second).uncached).toBeLessThan(0.1 * usage(first).uncached!);
    const third = usage(await turn("run echo three", first.id));
    expect(third.cachedRead).toBeGreaterThan(1.9 * usage(second).cachedRead!);
  });

  test("a prompt arrives as text, whatever it begins with", async () => {
    writeFileSync(join(real.work, "note.txt"), "INSIDE\n");
    const skill = join(real.home, "skills", "why");
    mkdirSync(skill, { recursive: true });
    writeFileSync(join(skill, "SKILL.md"), "---\nname: why\ndescription: Why.\n---\nINSIDE\n");
    mkdirSync(join(real.home, "prompts"));
    writeFileSync(join(real.home, "prompts", "template.md"), "INSIDE\n");
    const { id } = await turn("hello");
    const prompts = ["/skill:why", " /template", "/compact", "@note.txt", "-x", "!ls", "--help"];
    for (const prompt of prompts) expect((await turn(prompt, id)).id).toBe(id);
    const said = sent().filter((_, index) => index % 2 === 0);
    expect(said).toEqual(["hello", ...prompts.map((prompt) => pi.escape!(prompt).trim())]);
    expect(JSON.stringify(real.server.requests.at(-1)!.body)).not.toContain("INSIDE");
  });

  test("a prompt of 8 MiB arrives whole", async () => {
    const words = "\necho done";
    const most = `${"x".repeat(pi.manifest.maxPrompt - words.length)}${words}`;
    expect((await turn(most)).answer).toBe("done");
    // It is longer than the model's context, so pi compacts the session afterwards.
    const arrived = real.server.requests[0]!.messages.at(-1)!.text;
    expect(arrived === most).toBe(true);
  });

  // How other failures are worded is recorded in reader.test.ts.
  test.each([
    [{ refuse: "rate-limit" }, { kind: "transient", throttled: true }],
    [{ refuse: "unauthorized" }, { kind: "login" }],
    [{ refuse: "invalid-history" }, { kind: "poisoned" }],
    [{ dropped: "half an ans" }, { kind: "transient" }],
  ] as const)("%j is %j, and the session continues", async (answer, expected) => {
    const { id } = await turn("remember APPLE-739");
    real.server.answerWith(answer);
    const failed = await turn("hello", id);
    expect(failed).toMatchObject({ id, code: 0 });
    expect(failure(failed)).toMatchObject(expected);
    expect(failed.answer).toBeUndefined();
    expect((await turn(recall, id)).answer).toBe("APPLE-739");
  });

  test("a model that does not exist, and no login", async () => {
    expect(failure(await turn("hello", null, { model: "nope" }))).toMatchObject({
      kind: "request",
      message: expect.stringContaining('Model "nope" not found'),
    });
    const other = join(real.folder, "other");
    real.found = { ...real.found, runtime: { ...real.found.runtime, home: other } };
    expect(failure(await turn("hello"))).toMatchObject({ kind: "login" });
  });

  test("killed in a tool: the call is saved, and the session continues", async () => {
    const { id } = await turn("remember APPLE-739");
    const started = join(real.work, "started");
    real.server.answerWith({ shell: `touch ${started}; exec sleep 300` });
    const cut = await turn("hello", id, {
      onLaunch: (child) => void appears(started).then(() => child.kill("SIGTERM")),
    });
    expect(cut.code).toBe(143);
    expect(cut.events.map(({ type }) => type)).toEqual(["session", "model", "tool"]);
    const after = await history({ id: id!, place: real.home });
    expect(after.items.slice(2).map(({ role }) => role)).toEqual(["user", "tool"]);
    expect((await turn(recall, id)).answer).toBe("APPLE-739");
  });

  test("a session is compacted by the command of our extension", async () => {
    const handle = await conversation("remember APPLE-739", `echo ${"long ".repeat(400)}`, "hello");
    const before = await history(handle);
    const command = pi.compact!(requestFor(handle), "the gearbox");
    const events = await launched(command, command.prompt);
    expect(events.map(({ type }) => type)).toEqual(["session", "usage", "result"]);
    expect(JSON.stringify(real.server.requests.at(-1)!.body)).toContain("the gearbox");
    const after = await history(handle);
    expect(end(after, before.items.length)).toEqual(end(before));
    expect(after.items.slice(before.items.length).map(({ role }) => role)).toEqual(["summary"]);
    expect((await turn(recall, handle.id)).answer).toBe("APPLE-739");
  });

  test("a person went back in pi: the new branch is followed, and what was confirmed is still there", async () => {
    const handle = await conversation("remember APPLE-739", "echo second");
    const before = await history(handle);
    // What /tree does on pi's screen.
    mkdirSync(join(real.home, "extensions"));
    writeFileSync(
      join(real.home, "extensions", "rewind.ts"),
      `export default (pi) => pi.registerCommand("back", {
  handler: async (_, ctx) => {
    const said = ctx.sessionManager.getEntries().find(({ message }) => message?.role === "assistant");
    await ctx.navigateTree(said.id, { summarize: false });
  },
});`,
    );
    const { argv, env } = pi.command(requestFor(handle));
    await launched({ argv: [...argv, "/back", "remember PEAR-12"], env }, "");

    const after = await history(handle);
    expect(after.items.map(({ text: words }) => words)).toEqual([
      ...["remember APPLE-739", "I will remember APPLE-739."],
      ...["remember PEAR-12", "I will remember PEAR-12."],
    ]);
    expect(after.abandoned).toEqual([{ text: "echo second", end: expect.any(Number) }]);
    expect(await pi.earlier!(handle, before.bytes, hash)).toEqual([before]);
    expect((await turn(recall, handle.id)).answer).toBe("PEAR-12");
    expect(sent()).not.toContain("echo second");
  });
});

describe("access", () => {
  const write = (path: string) => ({ tool: "write", input: { path, content: "x" } });
  const read = (path: string) => ({ tool: "read", input: { path } });
  const bash = (command: string) => ({ tool: "bash", input: { command } });
  const made = (name: string) => existsSync(join(real.work, name));
  const sentBody = () => JSON.stringify(real.server.requests.at(-1)!.body);

  test("read has tools that read alone, and a project's settings and all extensions are left out", async () => {
    const loads = (name: string) =>
      `import { writeFileSync } from "node:fs";
export default () => writeFileSync(${JSON.stringify(join(real.folder, name))}, "x");`;
    for (const [place, name] of [
      [join(real.work, ".pi"), "project-loaded"],
      [real.home, "own-loaded"],
    ] as const) {
      mkdirSync(join(place, "extensions"), { recursive: true });
      writeFileSync(join(place, "extensions", "x.ts"), loads(name));
    }
    // The user trusts the project, and its settings put the sessions elsewhere.
    writeFileSync(join(real.home, "trust.json"), JSON.stringify({ [real.work]: true }));
    const project = { sessionDir: join(real.folder, "elsewhere"), defaultTools: ["+bash"] };
    writeFileSync(join(real.work, ".pi", "settings.json"), JSON.stringify(project));
    const access = { level: "read", named: true } as const;

    real.server.answerWith({ calls: [bash("touch a"), write("b")] }, { text: "done" });
    const seen = await turn("do it", null, { access });
    expect(deniedTools(seen)).toEqual(["bash", "write"]);
    expect(readdirSync(real.work)).toEqual([".pi"]);
    expect(readdirSync(real.folder)).not.toContain("elsewhere");
    expect(readdirSync(real.folder).filter((name) => name.endsWith("loaded"))).toEqual([]);
    expect(existsSync(sessionFile({ id: seen.id!, place: real.home }))).toBe(true);

    await turn("hello", seen.id);
    expect(readdirSync(real.folder)).toContain("own-loaded");
  });

  test("edit writes in the work folder alone, and runs the named commands alone", async () => {
    const hidden = join(real.folder, "hidden");
    mkdirSync(hidden);
    writeFileSync(join(hidden, "note.txt"), "NOTE\n");
    symlinkSync(real.folder, join(real.work, "out"));
    symlinkSync(join(real.folder, "nothing-yet"), join(real.work, "dangling"));
    const access: Partial<LaunchAccess> = {
      ...{ level: "edit", named: true, hidden: [hidden] },
      allowedCommands: [`touch "named.txt"`],
    };
    const allowed = [write(join(real.work, "a")), write("sub/b"), bash(`touch "named.txt"`)];
    const denied = [
      write(join(real.folder, "c")),
      write("sub/../../c"),
      write("out/c"),
      write("dangling"),
      write("~/c"),
      write("@../c"),
      read(join(hidden, "note.txt")),
      read("out/hidden/note.txt"),
      { tool: "ls", input: { path: "../hidden" } },
      { tool: "edit", input: { path: "../c", edits: [{ oldText: "a", newText: "b" }] } },
      bash(`touch "named.txt" more.txt`),
      bash(`touch "named.txt"; touch more.txt`),
    ];
    real.server.answerWith({ calls: [...allowed, ...denied] }, { text: "done" });
    const seen = await turn("do it", null, { access });
    expect(deniedTools(seen).toSorted()).toEqual(denied.map(({ tool }) => tool).toSorted());
    expect(sentBody()).not.toContain("NOTE");
    expect(["a", "sub/b", "named.txt", "more.txt", "c"].map(made)).toEqual([
      ...[true, true, true, false, false],
    ]);
    expect(existsSync(join(real.folder, "c"))).toBe(false);
    expect(existsSync(join(real.folder, "nothing-yet"))).toBe(false);
  });
});

describe("a damaged history is noticed, and the model gets what is put back", () => {
  const whole = ["echo one", "one", "echo two", "two"];
  const edit = (change: (lines: string[]) => string[]) => (handle: Handle) => {
    const file = sessionFile(handle);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    writeFileSync(file, `${change(lines).join("\n")}\n`);
  };
  const isMessage = (role: string, words: string) => (line: string) =>
    line.includes(`"role":"${role}"`) && line.includes(`"text":"${words}"`);

  test.each<[string, (handle: Handle) => void, number | string, string[] | null]>([
    ["deleted", (handle) => rmSync(sessionFile(handle)), "missing", null],
    [
      "cut at the end of a line",
      edit((lines) => lines.slice(0, lines.findIndex(isMessage("user", "echo two")))),
      2,
      whole.slice(0, 2),
    ],
    [
      "a line that cannot be read",
      edit((lines) => lines.map((line) => (isMessage("user", "echo two")(line) ? "{" : line))),
      "unreadable",
      ["two"],
    ],
    [
      "a torn line",
      (handle) => appendFileSync(sessionFile(handle), '{"type":"mess'),
      "unreadable",
      whole,
    ],
  ])("%s", async (_, damage, noticed, damagedView) => {
    const handle = await conversation("echo one", "echo two");
    const before = await history(handle);
    const checkpoint = await pi.copyOut(handle);
    const aside = join(real.folder, "aside");

    damage(handle);
    const seen = await pi.observe(handle, hash);
    expect(typeof seen === "string" ? seen : seen.items.length).toBe(noticed);
    // Pi continues silently or refuses.
    const unaware = await turn("echo unaware", handle.id);
    if (damagedView === null) expect(failure(unaware)).toMatchObject({ kind: "missing" });
    else expect(sent()).toEqual([...damagedView, "echo unaware"]);

    await pi.copyIn(handle, checkpoint, aside);
    expect(await history(handle)).toEqual(before);
    expect(await turn("echo three", handle.id)).toMatchObject({ code: 0, id: handle.id });
    expect(sent()).toEqual([...whole, "echo three"]);
  });

  test("the file of a session resumes in a new home, another folder, and as a fork", async () => {
    const handle = await conversation("remember APPLE-739");
    const files = await pi.copyOut(handle);
    const aside = join(real.folder, "aside");
    const other = join(real.folder, "other", "work");
    mkdirSync(other, { recursive: true });
    const from = { id: handle.id, folder: real.work };
    const fork = { id: crypto.randomUUID(), folder: other };
    await pi.copyIn({ id: fork.id, place: real.home }, pi.relocate!(files, from, fork), aside);
    const home = join(real.folder, "new-home");
    await makePiHome(home, real.server);
    await pi.copyIn({ id: handle.id, place: home }, files, aside);

    const [work, old] = [real.work, real.home];
    real.work = other;
    expect(await turn(recall, fork.id)).toMatchObject({ id: fork.id, answer: "APPLE-739" });
    expect(JSON.stringify(real.server.requests.at(-1)!.body)).toContain(`${other}\\n</cwd>`);
    [real.work, real.home] = [work, home];
    real.agent = { ...real.agent, settings: { ...real.agent.settings, home } };
    real.found = await real.probe(real.agent);
    expect(await turn(recall, handle.id)).toMatchObject({ id: handle.id, answer: "APPLE-739" });
    real.home = old;
  });
});
