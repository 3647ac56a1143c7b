/** The published package: packed, installed in an empty folder with no network, and put to use. */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, inject, test } from "vitest";
import { tarballProblems } from "../../scripts/published.ts";
import { install } from "./installed.ts";

const program = path.join(import.meta.dirname, "../../packages/reprise");
const manifest = JSON.parse(readFileSync(path.join(program, "package.json"), "utf8"));
const tarball = inject("tarball");
const { folder, project: installed, home } = install(tarball);
const environment = {
  PATH: [path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
  HOME: home,
  REPRISE_HOME: path.join(folder, "reprise"),
};

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("holds the program and nothing else, and needs no other package", () => {
  const names = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  const strange = names.filter(
    (name) =>
      !/^package\/(?:(?:bin|dist)\/[^/]+\.c?js|dist\/[^/]+\.js\.map|dist\/types\/.+\.d\.ts|dist\/web\/(?:assets\/)?[^/]+\.(?:html|js|css|svg)|dist\/licenses\.txt|dist\/quickjs\.wasm|(?:docs|examples)\/.+\.(?:md|json|yaml|ts|png|svg)|plugins\/.+\.(?:md|json|js)|[A-Z]+\.md|LICENSE|package\.json)$/.test(
        name,
      ),
  );
  expect(strange).toEqual([]);
  expect(names).toEqual(
    expect.arrayContaining(
      [
        "bin/reprise.cjs",
        "dist/main.js",
        "dist/library.js",
        "dist/library.js.map",
        "dist/types/reprise/library.d.ts",
        "dist/acp-turn.js",
        "dist/openai-chat.js",
        "dist/scripted-agent.js",
        "dist/quickjs.wasm",
        "plugins/.claude-plugin/marketplace.json",
        "plugins/openclaw/index.js",
        "plugins/openclaw/openclaw.plugin.json",
        "plugins/openclaw/package.json",
        "plugins/reprise/.claude-plugin/plugin.json",
        "plugins/reprise/.mcp.json",
        "plugins/reprise/skills/adopt/SKILL.md",
        "plugins/reprise/skills/workflows/SKILL.md",
        "README.md",
        "LICENSE",
      ].map((name) => `package/${name}`),
    ),
  );
  expect(
    readdirSync(path.join(installed, "node_modules")).filter((name) => !name.startsWith(".")),
  ).toEqual(["reprise"]);
});

test("answers --version", () => {
  expect(reprise("--version")).toBe(`${manifest.version}\n`);
});

test("sends turns to the scripted agent, which remembers", () => {
  reprise("agent", "create", "echo", "--provider", "scripted");
  const first = send("remember APPLE-739");
  expect(first).toMatchObject({
    turn: { seq: 1, status: "done" },
    session: { key: "trial", agent: "echo", provider: "scripted" },
    decision: { outcome: "blank", reason: "prior" },
  });
  const second = send("what did I ask you to remember?");
  expect(second).toMatchObject({
    turn: { seq: 2, status: "done" },
    decision: { outcome: "resume" },
  });
  expect(second.output).toContain("APPLE-739");
});

test("sends turns to a model behind an API, through the bridge that it has", async () => {
  const serve = path.join(import.meta.dirname, "../models/serve.ts");
  // In a process of its own, because the commands below block this one.
  const server = spawn(process.execPath, [serve, "--protocol", "chat"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [address] = await once(createInterface(server.stdout), "line");
    const settings = ["--set", `baseUrl=${address}`, "--set", "model=any"];
    reprise("agent", "create", "writer", "--provider", "openai", ...settings);
    reprise("send", "api", "remember APPLE-739", "--agent", "writer");
    expect(reprise("send", "api", "what did I ask you to remember?")).toContain("APPLE-739");
  } finally {
    server.kill();
  }
});

test("is a library too", () => {
  const code = `import { openReprise } from "reprise"; console.log(typeof openReprise);`;
  const args = ["--input-type=module", "--eval", code];
  expect(execFileSync(process.execPath, args, { cwd: installed, encoding: "utf8" })).toBe(
    "function\n",
  );
});

test("has a client that a browser takes as well", () => {
  const code = `import { connect } from "reprise/client"; console.log(typeof connect);`;
  const args = ["--input-type=module", "--eval", code];
  expect(execFileSync(process.execPath, args, { cwd: installed, encoding: "utf8" })).toBe(
    "function\n",
  );
  const modules = modulesFrom("client.js");
  expect([...modules.keys()].slice(0, 2)).toEqual(["client.js", "errors.js"]);
  for (const text of modules.values())
    expect(text).not.toMatch(/\brequire\(|\bprocess\.\w|\bBuffer\b|"node:/);
});

test("X1: the library and the client share their error classes", () => {
  const code = `
    import { RepriseError, UsageError, openReprise } from "reprise";
    import * as client from "reprise/client";
    const thrown = async (call) => { try { await call(); } catch (error) { return error; } };
    const errors = [
      await thrown(() => openReprise({ hom: "x" })),
      await thrown(() => client.connect("nowhere")),
    ];
    console.log(errors.every((error) => error instanceof RepriseError && error instanceof client.UsageError));
    console.log(UsageError === client.UsageError, errors.map(({ code }) => code).join(" "));
  `;
  const args = ["--input-type=module", "--eval", code];
  expect(execFileSync(process.execPath, args, { cwd: installed, encoding: "utf8" })).toBe(
    "true\ntrue bad-option bad-url\n",
  );
});

test("X1: opens the default home without options, and says what is wrong with one", () => {
  const code = `
    import { openReprise } from "reprise";
    const reprise = await openReprise();
    console.log((await reprise.agents.list()).length);
    await reprise.close();
    await reprise.agents.list().catch(({ code, message }) => console.log(code, message));
    await openReprise({ hom: "x" }).catch(({ message, hint }) => console.log(message, hint));
  `;
  const args = ["--input-type=module", "--eval", code];
  const env = { ...environment, REPRISE_HOME: path.join(folder, "library-home") };
  expect(execFileSync(process.execPath, args, { cwd: installed, env, encoding: "utf8" })).toBe(
    [
      "0",
      "closed agents.list() was called after close().",
      '"hom" is not an option of openReprise(). Did you mean "home"?',
      "",
    ].join("\n"),
  );
  expect(readdirSync(env.REPRISE_HOME)).toContain("reprise.db");
});

test("X1: every module has a source map with the sources", () => {
  const dist = path.join(installed, "node_modules/reprise/dist");
  const { sources, sourcesContent } = JSON.parse(
    readFileSync(path.join(dist, "main.js.map"), "utf8"),
  );
  expect(sources.join()).toContain("packages/reprise/src/cli/main.ts");
  expect(sourcesContent.join()).toContain("runProgram");
  for (const source of sources) expect(path.isAbsolute(source)).toBe(false);
});

test("serves the home with its page, in the background, until it is stopped", async () => {
  const { origin, searchParams } = new URL(reprise("up", "--detach", "--port", "0"));
  try {
    const page = await fetch(origin);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await page.text()).toContain('<script type="module"');
    const authorization = `Bearer ${searchParams.get("token")}`;
    const sessions = await fetch(`${origin}/v1/sessions`, { headers: { authorization } });
    expect(await sessions.json()).toEqual(JSON.parse(reprise("sessions", "list", "--json")));
  } finally {
    expect(reprise("down")).toBe(`Stopped the server at ${origin}.\n`);
  }
  await expect(fetch(origin)).rejects.toThrow();
});

test("says in one sentence which Node it needs", () => {
  const pretence = path.join(folder, "old.cjs");
  writeFileSync(
    pretence,
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });`,
  );
  const bin = path.join(installed, "node_modules/reprise/bin/reprise.cjs");
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--require", pretence, bin, "--version"],
    { encoding: "utf8" },
  );
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: "reprise needs Node 24 or newer; this is Node 20.1.0.\n",
  });
});

function send(prompt: string) {
  return JSON.parse(reprise("sessions", "send", "trial", prompt, "--agent", "echo", "--json"));
}

function reprise(...args: string[]): string {
  const bin = path.join(installed, "node_modules/.bin/reprise");
  return execFileSync(bin, args, { cwd: installed, env: environment, encoding: "utf8" });
}

/** The text of a module and of all that it imports, comments left out. */
function modulesFrom(entry: string): Map<string, string> {
  const dist = path.join(installed, "node_modules/reprise/dist");
  const found = new Map<string, string>();
  const pending = [entry];
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    if (found.has(name)) continue;
    const text = readFileSync(path.join(dist, name), "utf8").replaceAll(
      /^\s*(?:\/?\*|\/\/).*$/gm,
      "",
    );
    found.set(name, text);
    for (const [, imported] of text.matchAll(/^(?:import|export)\b[^;]*?"\.\/([^"]+)"/gm))
      pending.push(imported!);
  }
  return found;
}

test("X3: every relative link of the documents in the package leads to a file in it", () => {
  const packed = path.join(installed, "node_modules/reprise");
  const documents = globSync(["*.md", "{docs,examples}/**/*.md"], { cwd: packed });
  expect(documents).toContain("README.md");
  const broken = documents.flatMap((file) => {
    const text = readFileSync(path.join(packed, file), "utf8");
    const targets = [...text.matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)/g)].map(([, target]) => target!);
    return targets
      .filter((target) => !existsSync(path.join(packed, path.dirname(file), target)))
      .map((target) => `${file}: ${target}`);
  });
  expect(broken).toEqual([]);
});

test("X3: says where it comes from, and publint and attw find nothing", async () => {
  expect(manifest).toMatchObject({
    homepage: expect.any(String),
    bugs: expect.any(String),
    repository: { directory: "packages/reprise" },
  });
  expect(await tarballProblems(tarball)).toEqual([]);
});
