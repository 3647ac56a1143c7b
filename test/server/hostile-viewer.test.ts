/**
 * A hostile viewer of a real server process: every operation of the OpenAPI document with paths to
 * devices, FIFOs, programs and secrets, and with sources that are made to take long. Nothing is started,
 * no answer says anything about a path, and the server answers others meanwhile.
 */

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../until.ts";
import { ServedShell } from "./served-shell.ts";

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
}

const secretWords = "the-secret-words-of-this-machine";

let shell: ServedShell;
let url: string;
let pid: number;
let viewer: string;
/** A program that leaves a mark when it is started. */
let program: string;
let mark: string;
let fifo: string;
let secret: string;
let sparse: string;
let folder: string;

beforeAll(async () => {
  shell = new ServedShell();
  const at = (name: string) => join(shell.root, name);
  [mark, program, fifo] = [at("mark"), at("program"), at("fifo")];
  [secret, sparse, folder] = [at("secret"), at("sparse"), at("there")];
  writeFileSync(program, `#!/bin/sh\ntouch ${mark}\necho ${secretWords}\n`);
  chmodSync(program, 0o700);
  execFileSync("mkfifo", [fifo]);
  writeFileSync(secret, `${secretWords}: [\n`);
  writeFileSync(sparse, "");
  truncateSync(sparse, 1024 ** 4);
  mkdirSync(folder);
  await shell.run(["agent", "create", "coder", "--provider", "scripted"]);
  await shell.run(["sessions", "send", "k1", "hello", "--agent", "coder"]);
  const token = await shell.run(["token", "create", "eve", "--role", "viewer", "--json"]);
  viewer = JSON.parse(token.stdout).token;
  const up = await shell.up();
  url = up.url;
  pid = up.child.pid!;
});

afterAll(() => shell[Symbol.asyncDispose]());

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  token = viewer,
  signal: AbortSignal | null = null,
): Promise<Reply> {
  const response = await fetch(`${url}${path}`, {
    method,
    signal,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** A workflow with one agent node that has these settings. */
function workflow(provider: string, settings: object, more: object = {}): string {
  const steps = { ask: { agent: provider, prompt: "hello", settings } };
  return JSON.stringify({ name: "asked", ...more, steps });
}

/** The FIFO has no reader: the server did not open it. */
function isUnread(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENXIO";
  }
}

function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
}

async function operations(): Promise<Operation[]> {
  const { paths } = JSON.parse((await ask("GET", "/openapi.json")).text);
  return Object.entries<Record<string, object>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, about]) => {
      const { operationId, parameters = [] } = about as {
        operationId: string;
        parameters?: Operation["parameters"];
      };
      return { method: method.toUpperCase(), path, id: operationId, parameters };
    }),
  );
}

/** Every field that any operation takes a path, a program or a source in. */
function hostileBody(path: string): object {
  return {
    ...{ path, file: path, folder: path, cwd: path, home: path, source: path, bundle: path },
    ...{ key: "k1", agent: "coder", name: "evil", provider: "scripted", prompt: "hello" },
    settings: { script: path, binary: program, home: path },
  };
}

describe("V1: every operation of the document", () => {
  test("starts nothing, opens nothing and reveals nothing, whatever path a viewer names", async () => {
    const all = await operations();
    expect(all.length).toBeGreaterThan(50);
    for (const path of ["/dev/zero", fifo, secret])
      for (const { method, path: route, id, parameters } of all) {
        const filled = route.replaceAll(/\{\w+\}/g, encodeURIComponent(path));
        const names = parameters.filter((each) => each.in === "query").map(({ name }) => name);
        const query = new URLSearchParams(names.map((name) => [name, path]));
        const address = `${filled}${names.length > 0 ? `?${query}` : ""}`;
        const ending = new AbortController();
        // A stream of events has no end by itself.
        if (id === "events") ending.abort();
        const reply = await ask(
          method,
          address,
          method === "POST" ? hostileBody(path) : undefined,
          viewer,
          ending.signal,
        ).catch((error) => {
          if (ending.signal.aborted) return { status: 0, text: "" };
          throw error;
        });
        expect([id, reply.status < 500 || reply.status === 503]).toEqual([id, true]);
        expect([id, reply.text.includes(secretWords)]).toEqual([id, false]);
        expect([id, existsSync(mark)]).toEqual([id, false]);
      }
    expect(isUnread(fifo)).toBe(true);
    expect((await ask("GET", "/v1/health")).status).toBe(200);
  });

  test("that needs more than a viewer is refused before it looks at anything", async () => {
    const before = bytesRead();
    const start = { source: workflow("scripted", { script: sparse, binary: program }) };
    for (const [route, body] of [
      ["/v1/runs", start],
      ["/v1/agents", hostileBody(sparse)],
      ["/v1/backup", { file: join(shell.root, "stolen") }],
      ["/v1/sessions/k1/turns", { prompt: "hello", folder }],
    ] as const)
      expect([route, (await ask("POST", route, body)).status]).toEqual([route, 403]);
    expect(existsSync(mark)).toBe(false);
    expect(existsSync(join(shell.root, "stolen"))).toBe(false);
    expect(bytesRead() - before).toBeLessThan(64 * 1024 * 1024);
  });
});

describe("V1: a viewer's plan", () => {
  test("starts no program of the file, and is the same whether a path is there or not", async () => {
    const plan = async (source: string) => {
      const { status, text } = await ask("POST", "/v1/plans", { source });
      return `${status} ${text.replace(/"incident":"[^"]*"/, "")}`;
    };
    for (const provider of ["scripted", "claude", "codex", "gemini", "opencode"])
      await plan(workflow(provider, { binary: program }));
    expect(existsSync(mark)).toBe(false);
    const without = (text: string) => text.replaceAll("-missing", "");
    for (const make of [
      (path: string) => workflow("scripted", { script: path }),
      (path: string) => workflow("scripted", { home: path }),
      (path: string) => workflow("claude", { mcpConfig: path }),
      (path: string) => workflow("codex", { home: path }),
      (path: string) => workflow("scripted", {}, { folder: path }),
    ])
      for (const path of [secret, folder, fifo, "/dev/zero", sparse])
        expect(without(await plan(make(`${path}-missing`)))).toBe(without(await plan(make(path))));
    expect(isUnread(fifo)).toBe(true);
  });

  test("for explain, a folder is not looked for", async () => {
    const explain = (name: string) => ask("POST", "/v1/sessions/k1/explain", { folder: name });
    expect(await explain(folder)).toEqual(await explain(`${folder}-missing`));
    expect((await explain(folder)).status).toBe(403);
  });
});

/** Waits until the server has taken the call, then asks for its health; true when that came first. */
async function healthMeanwhile(hostile: Promise<Reply>): Promise<boolean> {
  let settled = false;
  void hostile.finally(() => {
    settled = true;
  });
  const underWay = async () => {
    const { text } = await ask("GET", "/metrics", undefined, shell.token());
    return /^reprise_work_under_way [1-9]/m.test(text);
  };
  while (!settled && !(await underWay())) await new Promise(setImmediate);
  expect((await ask("GET", "/v1/health")).status).toBe(200);
  return !settled;
}

const header = "name: x\nsteps: { a: { shell: echo } }\n";
const mebibyte = 1024 * 1024;
const large = {
  "small lists": `${header}z: [${"[],".repeat(mebibyte / 12)}]\n`,
  "unknown keys": `${header}${Array.from({ length: 40_000 }, (_, n) => `k${n}: 1\n`).join("")}`,
  "unknown keys of a step": `name: x\nsteps:\n  a: { shell: echo, ${Array.from({ length: 40_000 }, (_, n) => `k${n}: 1`).join(", ")} }\n`,
};

describe("V2: the server answers others", () => {
  test.each(Object.entries(large))("while it reads many %s", async (_, source) => {
    expect(source.length).toBeLessThan(mebibyte);
    const hostile = ask("POST", "/v1/plans", { source });
    expect(await healthMeanwhile(hostile)).toBe(true);
    const { status, text } = await hostile;
    expect([400, 422, 200]).toContain(status);
    expect(text.length).toBeLessThan(mebibyte);
  });

  test("and takes no larger source, nor a larger body", async () => {
    const over = "x".repeat(mebibyte + 1);
    expect(await ask("POST", "/v1/plans", { source: over })).toMatchObject({
      status: 400,
      text: expect.stringContaining("has more than 1 MiB"),
    });
    const huge = ask("POST", "/v1/plans", { source: "- a\n".repeat(4 * mebibyte) });
    // It may be refused before all of it was sent.
    expect(await huge.then(({ status }) => status).catch(() => 413)).toBe(413);
    expect((await ask("GET", "/v1/health")).status).toBe(200);
  });
});

test("V4: the server answers others while a pattern never ends, and the run fails", async () => {
  const answer = JSON.stringify({ a: `${"a".repeat(60)}!` });
  shell.rules({ do: [{ say: answer }] });
  const schema = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
  const step = {
    ...{ agent: "scripted", prompt: "Say a.", outputSchema: schema },
    settings: { script: shell.script, home: shell.agentHome },
  };
  const source = JSON.stringify({ name: "evil", steps: { ask: step } });
  const started = ask("POST", "/v1/runs?wait=600", { source, id: "evil" }, shell.token());
  const client = await shell.client();
  await until(async () => {
    const run = await client.runs.show("evil").catch(() => null);
    const turn = run?.executions.find((each) => each.turn !== null)?.turn ?? null;
    const found = turn === null ? null : await client.turns.why(turn).catch(() => null);
    return found?.turn.status === "done";
  });
  expect((await ask("GET", "/v1/health")).status).toBe(200);
  const run = JSON.parse((await started).text);
  expect(run).toMatchObject({
    status: "failed",
    executions: [{ node: "ask", error: { code: "check-timed-out" } }],
  });
});
