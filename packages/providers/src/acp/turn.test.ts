import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { appears, until } from "../../../../test/until.ts";
import { identify, lives } from "../launch/process.ts";
import { startChatServer } from "../models/openai-chat.ts";
import type { AgentEvent } from "../provider.ts";
import type { BridgeOrder } from "./order.ts";
import type { TestAgentOptions } from "./test-agent.ts";

const server = await startChatServer();
afterAll(() => server.close());
const bridge = join(import.meta.dirname, "turn.ts");
const testAgent = join(import.meta.dirname, "test-agent.ts");
const remember = "remember APPLE-739";
const recall = "what did I ask you to remember?";

let home: string;
beforeEach(() => {
  home = temporaryFolder("acp-turn");
  mkdirSync(join(home, "work"));
});
afterEach(() => rmSync(home, { recursive: true }));

const trick = (name: string, content = "") => writeFileSync(join(home, name), content);
const agentIs = (options: TestAgentOptions) => trick("agent.json", JSON.stringify(options));
const fileOf = (id: string) => join(home, "sessions", `${id}.jsonl`);
const pids = () =>
  readFileSync(join(home, "launches"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line).pid as number);

function launch(
  prompt: string,
  order: Partial<BridgeOrder> = {},
  command?: string[],
): ChildProcess {
  const whole: BridgeOrder = {
    place: join(home, "place"),
    resume: null,
    folder: join(home, "work"),
    model: null,
    login: null,
    access: "full",
    allowedCommands: [],
    hidden: [],
    ...order,
  };
  const child = spawn(
    process.execPath,
    [bridge, JSON.stringify(whole), ...(command ?? [process.execPath, testAgent])],
    { env: { ...process.env, TEST_AGENT_HOME: home, OPENAI_BASE_URL: `${server.url}/v1` } },
  );
  child.stdin!.end(prompt);
  return child;
}

async function send(prompt: string, order?: Partial<BridgeOrder>, command?: string[]) {
  const child = launch(prompt, order, command);
  const [out] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  await until(() => child.exitCode !== null || child.signalCode !== null);
  const events = out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AgentEvent);
  const one = <Type extends AgentEvent["type"]>(type: Type) =>
    events.find((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
  return {
    events,
    code: child.exitCode,
    id: one("session")?.id ?? null,
    result: one("result")?.text ?? null,
    failure: one("failure")?.failure ?? null,
    types: events.map(({ type }) => type),
  };
}

async function begun(): Promise<string> {
  const { id, failure } = await send(remember);
  if (id === null) throw new Error(JSON.stringify(failure));
  return id;
}

describe("a session", () => {
  test("begins with the agent's id, and continues with it", async () => {
    const first = await send(remember);
    expect(first).toMatchObject({ code: 0, result: "I will remember APPLE-739." });
    expect(first.types).toEqual(["version", "session", "model", "text", "usage", "result"]);
    const next = await send(recall, { resume: first.id });
    expect(next).toMatchObject({ id: first.id, result: "APPLE-739" });
    // The replay is not printed.
    expect(next.types).toEqual(["version", "session", "model", "text", "usage", "result"]);
  });

  test("a replay that comes after the answer to the request is not printed either", async () => {
    agentIs({ replaysLate: true });
    const id = await begun();
    const next = await send(recall, { resume: id });
    expect(next).toMatchObject({ id, result: "APPLE-739" });
    expect(next.types.filter((type) => type === "text")).toHaveLength(1);
  });

  test("is resumed where the agent cannot load", async () => {
    agentIs({ loads: false, resumes: true });
    const id = await begun();
    expect(await send(recall, { resume: id })).toMatchObject({ id, result: "APPLE-739" });
  });

  test.each([-32002, -32603, -32602])("that is unknown (%i) is missing", async (unknownSession) => {
    agentIs({ unknownSession });
    const seen = await send(recall, { resume: "0b6a2d8c-0000-4000-8000-000000000000" });
    expect(seen).toMatchObject({ code: 1, id: null, result: null, failure: { kind: "missing" } });
  });

  test("another one that comes back is reported as it is", async () => {
    const id = await begun();
    trick("new-session", "another");
    expect((await send(recall, { resume: id })).id).toBe("another");
  });

  test("another one that is started without a word is missing", async () => {
    const id = await begun();
    trick("new-session", "another");
    trick("silent");
    const requests = server.requests.length;
    const seen = await send(recall, { resume: id });
    expect(seen.failure).toMatchObject({ kind: "missing", message: /without turn 1 of 1/ });
    expect(server.requests).toHaveLength(requests);
  });
});

describe("damage that the replay shows", () => {
  test.each([
    ["an end that is cut off", (lines: string[]) => lines.slice(0, 2), /without turn 2 of 2/],
    ["a hole", (lines: string[]) => lines.toSpliced(2, 1), /without turn 2 of 2/],
    [
      "an answer that was changed",
      (lines: string[]) => [lines[0]!, lines[1]!.replace("APPLE", "PEACH"), ...lines.slice(2)],
      /with another answer in turn 1 of 2/,
    ],
  ] as const)("%s", async (_, change, message) => {
    const id = await begun();
    await send("echo two", { resume: id });
    const lines = readFileSync(fileOf(id), "utf8").split("\n").slice(0, -1);
    writeFileSync(
      fileOf(id),
      change(lines)
        .map((line) => `${line}\n`)
        .join(""),
    );
    const requests = server.requests.length;
    expect((await send(recall, { resume: id })).failure).toMatchObject({
      kind: "missing",
      message,
    });
    expect(server.requests).toHaveLength(requests);
  });

  test("a beginning that the agent has summarized is a note", async () => {
    const id = await begun();
    await send("echo two", { resume: id });
    agentIs({ replays: 1 });
    const seen = await send("echo three", { resume: id });
    expect(seen).toMatchObject({ result: "three" });
    expect(seen.events).toContainEqual({ type: "note", text: expect.stringMatching(/first turn/) });
  });

  test("without a record of the session nothing is compared", async () => {
    const id = await begun();
    rmSync(join(home, "place"), { recursive: true });
    expect(await send(recall, { resume: id })).toMatchObject({ result: "APPLE-739" });
    // And from then on nothing is expected that was not seen.
    expect(await send(recall, { resume: id })).toMatchObject({ result: "APPLE-739" });
  });
});

describe("the prompt", () => {
  test("a megabyte arrives whole", async () => {
    const long = `${"é 字 ".repeat(1024 * 128)}\necho Grüße 🎉`;
    expect((await send(long)).result).toBe("Grüße 🎉");
    expect(server.requests.at(-1)?.messages.at(-1)?.text).toBe(long);
  });

  test("junk on the agent's standard output is ignored", async () => {
    trick("junk");
    expect((await send("echo on")).result).toBe("on");
  });

  test("a model is chosen where the agent offers a choice", async () => {
    await send("echo on", { model: "large" });
    expect(server.requests.at(-1)?.body.model).toBe("large");
    const refused = await send("echo on", { model: "no-such-model" });
    expect(refused.failure?.kind).toBe("request");
    agentIs({ offersModels: false });
    expect((await send("echo on", { model: "large" })).failure).toMatchObject({
      kind: "request",
      message: expect.stringMatching(/no choice of its model/),
    });
  });

  test("a way to log in is used, and without one the turn fails with the agent's ways", async () => {
    agentIs({ login: "a-key" });
    expect((await send("echo on")).failure).toMatchObject({
      kind: "login",
      hint: expect.stringMatching(/a-key/),
    });
    expect((await send("echo on", { login: "a-key" })).result).toBe("on");
  });

  test("another version of the protocol is refused", async () => {
    agentIs({ protocolVersion: 2 });
    expect((await send("echo on")).failure).toMatchObject({
      kind: "request",
      message: /version 2/,
    });
  });
});

describe("tools", () => {
  test("what the access does not allow is denied and reported, and the turn continues", async () => {
    const seen = await send("run touch made", { access: "edit" });
    expect(seen.result).toBe("It said: denied");
    expect(seen.events).toContainEqual({
      type: "denied",
      tool: "execute",
      detail: "touch made",
      id: expect.stringMatching(/^call_/),
    });
    await send("run touch made", { access: "edit", allowedCommands: ["touch made"] });
    expect(existsSync(join(home, "work/made"))).toBe(true);
  });

  test("a mode in which the agent does not ask is changed, except under full access", async () => {
    agentIs({ mode: "yolo" });
    await send("run touch made", { access: "read" });
    expect(existsSync(join(home, "work/made"))).toBe(false);
    await send("run touch made", { access: "full" });
    expect(existsSync(join(home, "work/made"))).toBe(true);
  });
});

describe("the agent's process", () => {
  test("that ends in the middle is a failure with its exit code", async () => {
    trick("crash");
    const seen = await send("echo on");
    expect(seen).toMatchObject({
      code: 1,
      failure: { kind: "unknown", message: expect.stringMatching(/exit code 3/) },
    });
  });

  test("that cannot be started is a failure", async () => {
    const seen = await send("echo on", {}, ["/no/such/agent"]);
    expect(seen.failure).toMatchObject({ kind: "unknown", message: /ENOENT/ });
  });

  test("that ends neither with its input nor by SIGTERM is killed with its turn", async () => {
    trick("stay");
    expect((await send("echo on")).result).toBe("on");
    expect(pids().map(identify)).toEqual([null]);
  });

  test("cancels after a signal to the bridge, and ends with it", async () => {
    const child = launch("run touch begun; sleep 300");
    await appears(join(home, "work/begun"));
    const agent = identify(pids()[0]!);
    child.kill("SIGTERM");
    const out = await text(child.stdout!);
    await until(() => child.exitCode !== null);
    expect(child.exitCode).toBe(143);
    expect(out).not.toMatch(/"(result|failure)"/);
    await until(() => agent === null || !lives(agent));
  });

  test("ends when the bridge is killed", async () => {
    const child = launch("run touch begun; sleep 300");
    await appears(join(home, "work/begun"));
    const agent = identify(pids()[0]!)!;
    child.kill("SIGKILL");
    await until(() => !lives(agent));
  });
});
