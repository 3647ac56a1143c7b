/** The published package: packed, installed in an empty folder with no network, and put to use. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const program = path.join(import.meta.dirname, "../../packages/reprise");
const manifest = JSON.parse(readFileSync(path.join(program, "package.json"), "utf8"));
const folder = mkdtempSync(path.join(tmpdir(), "reprise-package-"));
const installed = path.join(folder, "installed");
const tarball = path.join(folder, `reprise-${manifest.version}.tgz`);
const environment = {
  PATH: [path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
  HOME: path.join(folder, "home"),
  REPRISE_HOME: path.join(folder, "reprise"),
};

beforeAll(() => {
  mkdirSync(installed);
  mkdirSync(environment.HOME);
  npm(program, "pack", "--pack-destination", folder);
  npm(installed, "install", "--offline", tarball);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("holds the program and nothing else, and needs no other package", () => {
  const names = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  const strange = names.filter(
    (name) =>
      !/^package\/(?:(?:bin|dist)\/[^/]+\.c?js|dist\/web\/(?:assets\/)?[^/]+\.(?:html|js|css|svg)|dist\/licenses\.txt|dist\/quickjs\.wasm|README\.md|LICENSE|package\.json)$/.test(
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
        "dist/scripted-agent.js",
        "dist/quickjs.wasm",
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
  const client = readFileSync(path.join(installed, "node_modules/reprise/dist/client.js"), "utf8");
  expect(client).not.toMatch(/\bfrom\s*"|\bimport\s*[("]|\brequire\(|\bprocess\.|\bBuffer\b/);
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

function npm(cwd: string, ...args: string[]): void {
  execFileSync("npm", args, { cwd, stdio: "pipe" });
}
