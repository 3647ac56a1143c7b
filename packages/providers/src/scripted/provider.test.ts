import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { messageDigest } from "@reprise/core/conversation/slice";
import type { Handle } from "@reprise/core/session/pin";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { patience } from "../../../../test/until.ts";
import { bridgePath } from "../define-provider.ts";
import type { AgentEvent, ProbeTools, ProviderAgent } from "../provider.ts";
import { bySettings } from "../test-access.ts";
import { appendItem } from "./files.ts";
import { agentBridge, scripted } from "./provider.ts";

const id = "11111111-1111-4111-8111-111111111111";
const hash = (text: string) => createHash("sha256").update(text).digest("hex");

const env = { PATH: process.env.PATH ?? "" };

let folder: string;
beforeEach(() => {
  folder = temporaryFolder("provider");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function agentWith(settings: Record<string, string> = {}): ProviderAgent {
  return { name: "coder", settings, privateFolder: join(folder, "coder"), env };
}

function memoryCache() {
  const results = new Map<string, unknown>();
  const tools: ProbeTools = {
    digest: hash,
    timeout: patience,
    cache: {
      read: async (binary) => results.get(binary),
      write: async (binary, result) => void results.set(binary, result),
    },
  };
  return { results, tools };
}

function writeScript(text: string): string {
  const path = join(folder, "script.yaml");
  writeFileSync(path, text);
  return path;
}

/** One launch as the engine would make it. */
async function launch(agent: ProviderAgent, prompt: string, resume: Handle | null) {
  const { binary, runtime } = await scripted.probe(agent, memoryCache().tools);
  const newId = resume === null ? id : null;
  const request = { agent, binary, runtime, resume, newId, folder, model: "m", access: bySettings };
  const { argv, env } = scripted.command(request);
  const [program = "", ...rest] = argv;
  const run = spawnSync(program, rest, { input: prompt, env: { ...agent.env, ...env } });
  const reader = scripted.reader();
  const events: AgentEvent[] = [
    ...run.stdout
      .toString()
      .split("\n")
      .flatMap((line) => reader.line(line)),
    ...reader.end({ code: run.status, stderr: run.stderr.toString() }),
  ];
  return { argv, events };
}

describe("validate", () => {
  test("accepts its own settings, and those of every agent", async () => {
    const script = writeScript("rules: []");
    await scripted.validate(agentWith({ script, home: folder, instructions: "Be brief." }));
  });

  test.for([
    [{ scirpt: "/x" }, "unknown-setting", 'no setting "scirpt"'],
    [{ home: "relative" }, "bad-setting", "not an absolute path"],
    [{ script: "/nowhere/script.yaml" }, "bad-script", "/nowhere/script.yaml cannot be used"],
  ] as const)("%j", async ([settings, code, message]) => {
    const error = scripted.validate(agentWith({ ...settings }));
    await expect(error).rejects.toMatchObject({
      code,
      exitCode: 2,
      message: expect.stringContaining(message),
    });
  });

  test("names file, rule and mistake of a malformed script", async () => {
    const script = writeScript("rules:\n  - do: [explode]");
    await expect(scripted.validate(agentWith({ script }))).rejects.toMatchObject({
      code: "bad-script",
      exitCode: 2,
      message: `Script ${script} cannot be used: rule 1, step 1: there is no step "explode".`,
    });
  });
});

describe("probe", () => {
  test("knows our own program without running it, and writes nothing", async () => {
    const { tools, results } = memoryCache();
    expect(await scripted.probe(agentWith(), tools)).toEqual({
      binary: bridgePath(agentBridge),
      runtime: {
        product: "scripted",
        version: "1.0.0",
        abilities: ["resume", "model-on-resume"],
        home: join(folder, "coder/scripted"),
      },
      account: null,
    });
    expect(results.size).toBe(0);
    expect(existsSync(join(folder, "coder"))).toBe(false);
  });

  test("a script changes each part alone", async () => {
    const probe = async (text: string) =>
      scripted.probe(agentWith({ script: writeScript(text) }), memoryCache().tools);
    expect((await probe("abilities: []")).runtime.abilities).toEqual([]);
    expect((await probe("product: fork")).runtime.product).toBe("fork");
    expect((await probe('version: "2"')).runtime.version).toBe("2");
    expect((await probe("account: other")).account).toBe("other");
  });

  test("a home behind a symlink is its target", async () => {
    mkdirSync(join(folder, "real"));
    symlinkSync(join(folder, "real"), join(folder, "link"));
    const agent = agentWith({ home: join(folder, "link/home") });
    expect(await scripted.place(agent, folder)).toBe(join(folder, "real/home"));
  });

  test("asks another program once for each build of it", async () => {
    const binary = join(folder, "other-agent");
    const asked = join(folder, "asked");
    const write = (version: string, help: string) => {
      const answer = `[ "$1" = --version ] && echo "other ${version}" || echo "${help}"`;
      writeFileSync(binary, `#!/bin/sh\necho "$1" >> '${asked}'\n${answer}\n`);
      chmodSync(binary, 0o755);
    };
    const { tools } = memoryCache();
    const runtime = async () => (await scripted.probe(agentWith({ binary }), tools)).runtime;

    write("1", "--resume ID");
    expect(await runtime()).toMatchObject({
      product: "other",
      version: "1",
      abilities: ["resume"],
    });
    expect(await runtime()).toMatchObject({ version: "1" });
    expect(readFileSync(asked, "utf8")).toBe("--version\n--help\n");

    write("2.0", "nothing");
    expect(await runtime()).toMatchObject({ version: "2.0", abilities: [] });
  });

  test("finds the abilities it assumes in our own program's help", async () => {
    const binary = join(folder, "wrapped");
    writeFileSync(
      binary,
      `#!/bin/sh\nexec '${process.execPath}' '${bridgePath(agentBridge)}' "$@"\n`,
    );
    chmodSync(binary, 0o755);
    const agent = agentWith({ binary });
    const { runtime } = await scripted.probe(agent, memoryCache().tools);
    expect(runtime).toEqual((await scripted.probe(agentWith(), memoryCache().tools)).runtime);
    const { argv, events } = await launch(agent, "echo hi", null);
    expect(argv[0]).toBe(binary);
    expect(events.at(-1)).toEqual({ type: "result", text: "hi" });
  });

  test("a missing program, and one that is not a scripted agent", async () => {
    const probe = (binary: string) => scripted.probe(agentWith({ binary }), memoryCache().tools);
    await expect(probe("/nowhere/agent")).rejects.toMatchObject({
      code: "no-program",
      exitCode: 4,
    });
    const binary = join(folder, "text");
    writeFileSync(binary, "not a program");
    await expect(probe(binary)).rejects.toMatchObject({ code: "bad-program", exitCode: 2 });
  });
});

describe("a launch", () => {
  test("new, then resumed, understood by the reader", async () => {
    const agent = agentWith();
    const place = await scripted.place(agent, folder);
    const first = await launch(agent, "remember APPLE-739", null);
    const second = await launch(agent, "what did I ask you to remember?", { id, place });

    const [, program, ...flags] = first.argv;
    expect(program).toBe(bridgePath(agentBridge));
    const home = ["--home", place];
    expect(flags).toEqual([...home, "--session-id", id, "--model=m", "--literal"]);
    expect(second.argv.slice(2)).toEqual([...home, "--resume", id, "--model=m", "--literal"]);
    expect(scripted.manifest.idPattern.test(id)).toBe(true);
    expect(second.events.map(({ type }) => type)).toEqual(["session", "text", "usage", "result"]);
    expect(second.events.at(-1)).toEqual({ type: "result", text: "APPLE-739" });
  });

  test("a missing session is a failure of that kind", async () => {
    const agent = agentWith();
    const place = await scripted.place(agent, folder);
    const { events } = await launch(agent, "hello", { id, place });
    const message = `No session found with id ${id}`;
    expect(events).toEqual([{ type: "failure", failure: { kind: "missing", message } }]);
  });

  test.for([
    ["refuse", "missing"],
    ["refuse-as-success", "missing"],
    ["in-use", "in-use"],
    ["overflow-as-success", "poisoned"],
    ["fail: {status: 503}", "transient"],
    ["fail: {status: 429, resetAt: 5}", "quota"],
  ] as const)("%s is understood as %s", async ([step, kind]) => {
    const agent = agentWith({ script: writeScript(`rules: [{do: [${step}]}]`) });
    const place = await scripted.place(agent, folder);
    appendItem(place, id, { role: "user", text: "hello" });
    const { events } = await launch(agent, "hello", { id, place });
    expect(events.at(-1)).toMatchObject({ type: "failure", failure: { kind } });
  });
});

describe("history", () => {
  async function begun(): Promise<{ handle: Handle; file: string }> {
    const handle = { id, place: await scripted.place(agentWith(), folder) };
    appendItem(handle.place, id, { role: "user", text: "remember Ä" });
    appendItem(handle.place, id, { role: "assistant", text: "I will remember Ä" });
    return { handle, file: join(handle.place, `sessions/${id}.jsonl`) };
  }

  test("is observed item by item", async () => {
    const { handle, file } = await begun();
    const item = (role: string, text: string) => ({
      role,
      text,
      digest: messageDigest(role, text, hash),
    });
    expect(await scripted.observe(handle, hash)).toEqual({
      items: [item("user", "remember Ä"), item("assistant", "I will remember Ä")],
      bytes: statSync(file).size,
      compacted: false,
      totals: { cachedRead: 0, cachedWrite: 0, uncached: 3, output: 5 },
    });
  });

  test("a summary means that it was compacted", async () => {
    const { handle, file } = await begun();
    writeFileSync(file, '{"role":"summary","text":"all"}\n');
    expect(await scripted.observe(handle, hash)).toMatchObject({ compacted: true });
  });

  test("missing", async () => {
    const { handle, file } = await begun();
    rmSync(file);
    expect(await scripted.observe(handle, hash)).toBe("missing");
    expect(await scripted.copyOut(handle)).toEqual([]);
  });

  test("cut at any byte, it is noticed", async () => {
    const { handle, file } = await begun();
    const whole = readFileSync(file);
    for (let size = whole.length - 1; size >= 0; size -= 1) {
      truncateSync(file, size);
      const found = await scripted.observe(handle, hash);
      const atLineEnd = size === 0 || whole[size - 1] === 0x0a;
      if (!atLineEnd) expect(found, `cut at ${size}`).toBe("unreadable");
      else expect(found).toMatchObject({ items: { length: size === 0 ? 0 : 1 } });
    }
  });

  test.for([
    ["a line that is not JSON", "garbage\n"],
    ["an item without a text", '{"role":"user"}\n'],
    ["an unknown role", '{"role":"king","text":"x"}\n'],
    ["JSON that is not an item", "null\n"],
    ["bytes that are not UTF-8", Buffer.from('{"role":"user","text":"\xe9"}\n', "latin1")],
    ["a torn last line", '{"role":"us'],
  ] as const)("%s makes it unreadable", async ([, damage]) => {
    const { handle, file } = await begun();
    appendFileSync(file, damage);
    expect(await scripted.observe(handle, hash)).toBe("unreadable");
  });

  test("is copied out and put back; replaced files are kept aside, each time", async () => {
    const { handle, file } = await begun();
    const aside = join(folder, "aside");
    const before = await scripted.observe(handle, hash);
    const files = await scripted.copyOut(handle);
    expect(files.map(({ name }) => name)).toEqual([`sessions/${id}.jsonl`]);

    for (const damage of ["first damage", "second damage"]) {
      writeFileSync(file, damage);
      await scripted.copyIn(handle, files, aside);
      expect(await scripted.observe(handle, hash)).toEqual(before);
    }
    const kept = readdirSync(aside).toSorted();
    expect(kept).toEqual([`${id}.jsonl`, `${id}.jsonl.2`]);
    expect(kept.map((name) => readFileSync(join(aside, name), "utf8"))).toEqual([
      "first damage",
      "second damage",
    ]);
    expect(readdirSync(join(handle.place, "sessions"))).toEqual([`${id}.jsonl`]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("is put back when nothing is left, and resumes", async () => {
    const { handle } = await begun();
    const files = await scripted.copyOut(handle);
    rmSync(handle.place, { recursive: true });
    await scripted.copyIn(handle, files, join(folder, "aside"));
    expect(existsSync(join(folder, "aside"))).toBe(false);
    const { events } = await launch(agentWith(), "what did I ask you to remember?", handle);
    expect(events.at(-1)).toEqual({ type: "result", text: "Ä" });
  });

  test("nothing is written outside of the agent's home", async () => {
    const { handle } = await begun();
    const files = [{ name: "../escape", bytes: new Uint8Array() }];
    await expect(scripted.copyIn(handle, files, folder)).rejects.toThrow("outside");
    expect(existsSync(join(handle.place, "../escape"))).toBe(false);
  });
});
