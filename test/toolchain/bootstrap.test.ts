/** The bootstrap in a tiny repository of its own: installs once, hands over, and shares the folder with others. */

import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

const bootstrap = path.join(import.meta.dirname, "../../scripts/bootstrap.cjs");
const installing = "Installing the tool chain with npm …\n";
/** What a lockfile says of a package that comes from the network. */
const fetched = { version: "1.0.0", integrity: `sha512-${"A".repeat(86)}==` };

let root: string;
beforeEach(() => {
  root = temporaryFolder("bootstrap");
  mkdirSync(path.join(root, "scripts"));
  copyFileSync(bootstrap, path.join(root, "scripts/bootstrap.cjs"));
  task(
    "check",
    `console.log(process.env.PINNED ?? "own", ...process.argv.slice(2)); process.exitCode = 7;`,
  );
  writeLock({});
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("installs when the lockfile changed, not twice, and passes arguments and exit code on", async () => {
  expect(await run("check", "a", "b c")).toEqual({
    code: 7,
    stdout: "own a b c\n",
    stderr: installing,
  });
  expect(await run("check")).toEqual({ code: 7, stdout: "own\n", stderr: "" });
  pinNode();
  expect(await run("check")).toEqual({ code: 7, stdout: "pinned\n", stderr: installing });
  expect(await run("check")).toEqual({ code: 7, stdout: "pinned\n", stderr: "" });
});

test("an old Node hands over to the pinned one", async () => {
  pinNode();
  expect(await runOnOldNode("check")).toEqual({ code: 7, stdout: "pinned\n", stderr: installing });
});

test("an old Node without a pinned one gets one sentence", async () => {
  const { code, stdout, stderr } = await runOnOldNode("check");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr.replace(installing, "")).toMatch(
    /^There is no pinned Node for .* install Node 24 or newer.*\n$/,
  );
});

test("two at once: one installs, the other waits for it", async () => {
  pinNode();
  const both = await Promise.all([run("check"), run("check")]);
  expect(both.map(({ code, stdout }) => ({ code, stdout }))).toEqual([
    { code: 7, stdout: "pinned\n" },
    { code: 7, stdout: "pinned\n" },
  ]);
  const said = both.map(({ stderr }) => stderr);
  expect(said.filter((stderr) => stderr.includes(installing))).toHaveLength(1);
  expect(readdirSync(path.join(root, ".cache"))).toEqual([]);
});

test("the lock of a dead process is taken over", async () => {
  const dead = spawnSync(process.execPath, ["--version"]).pid;
  mkdirSync(path.join(root, ".cache/install.lock"), { recursive: true });
  writeFileSync(path.join(root, `.cache/install.lock/${dead}.1`), "");
  expect(await run("check")).toMatchObject({ code: 7, stderr: installing });
});

test("signals reach the task", async () => {
  task(
    "start",
    `process.on("SIGTERM", () => process.exit(5)); console.log("ready"); setInterval(() => {}, 1000);`,
  );
  const child = spawn(process.execPath, [path.join(root, "scripts/bootstrap.cjs"), "start"]);
  child.stdout.once("data", () => child.kill("SIGTERM"));
  const code = await new Promise((resolve) => child.once("exit", resolve));
  expect(code).toBe(5);
});

test("without a network it says so in one sentence, and leaves no marker", async () => {
  writeLock({ dependencies: { nowhere: "1.0.0" } }, { "node_modules/nowhere": fetched });
  const { code, stderr } = await run("check");
  expect(code).toBe(1);
  expect(stderr.replace(installing, "")).toMatch(
    /^The tool chain is not installed and npm cannot reach its registry \(\w+\).*\n$/,
  );
  expect(existsSync(path.join(root, "node_modules/.reprise-installed"))).toBe(false);
});

test("an optional package that npm silently left out is missed", async () => {
  const native = { ...fetched, optional: true, os: process.platform, cpu: process.arch };
  writeLock({ optionalDependencies: { native: "1.0.0" } }, { "node_modules/native": native });
  const { code, stderr } = await run("check");
  expect({ code, stderr: stderr.replace(installing, "") }).toEqual({
    code: 1,
    stderr: "npm did not bring node_modules/native: connect to a network, then try again.\n",
  });
});

test("an unknown task is answered with those that exist", async () => {
  const { code, stderr } = await run("deploy");
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "Usage: npm run start|test|check|build|bench|mutate|torture\n",
  });
});

function task(name: string, code: string): void {
  writeFileSync(path.join(root, `scripts/${name}.ts`), code);
}

/** A package like the one that brings Node, whose program says that it is the pinned one. */
function pinNode(): void {
  const name = `node-${process.platform}-${process.arch}`;
  const script = `#!/bin/sh\nPINNED=pinned exec "${process.execPath}" "$@"\n`;
  mkdirSync(path.join(root, "pinned/bin"), { recursive: true });
  writeFileSync(path.join(root, "pinned/package.json"), JSON.stringify({ name, version: "1.0.0" }));
  writeFileSync(path.join(root, "pinned/bin/node"), script, { mode: 0o755 });
  writeLock(
    { optionalDependencies: { [name]: "file:pinned" } },
    {
      [`node_modules/${name}`]: { resolved: "pinned", link: true },
      pinned: { name, version: "1.0.0" },
    },
  );
}

function writeLock(dependencies: object, packages: object = {}): void {
  const project = { name: "tiny", version: "1.0.0", ...dependencies };
  writeFileSync(path.join(root, "package.json"), JSON.stringify({ ...project, type: "module" }));
  const lock = {
    ...project,
    lockfileVersion: 3,
    requires: true,
    packages: { "": project, ...packages },
  };
  writeFileSync(path.join(root, "package-lock.json"), JSON.stringify(lock));
}

function run(...args: string[]) {
  return bootstrapWith([], args);
}

/** Runs on this Node, which pretends to be an old one. */
function runOnOldNode(...args: string[]) {
  const pretence = path.join(root, "old.cjs");
  writeFileSync(
    pretence,
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.0.0" } });`,
  );
  return bootstrapWith(["--require", pretence], args);
}

async function bootstrapWith(options: string[], args: string[]) {
  const child = spawn(
    process.execPath,
    [...options, path.join(root, "scripts/bootstrap.cjs"), ...args],
    {
      env: {
        ...process.env,
        // Nothing listens there, and nothing is cached: an install that needs the network fails at once.
        npm_config_registry: "http://127.0.0.1:9/",
        npm_config_cache: path.join(root, "cache"),
        npm_config_fetch_retries: "0",
      },
    },
  );
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { code, stdout, stderr };
}
