import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NotFoundError } from "@reprise/core/errors/errors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { patience } from "../../../../test/until.ts";
import type { ProviderAgent } from "../provider.ts";
import { accountOf } from "./account.ts";
import { findBinary } from "./binary.ts";
import { homeOf, readyHome } from "./home.ts";
import { probe } from "./probe.ts";

const digest = (text: string) => createHash("sha256").update(text).digest("hex");
let folder: string;
beforeEach(() => {
  folder = temporaryFolder("gemini-probe");
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (name: string, text: string, mode = 0o600) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text, { mode });
  return join(folder, name);
};
const agent = (settings: Record<string, string>, env: Record<string, string> = {}) =>
  ({
    name: "coder",
    settings,
    privateFolder: folder,
    env: { HOME: folder, PATH: "/usr/bin:/bin", ...env },
  }) satisfies ProviderAgent;

describe("probe", () => {
  const program = (version: string, help: string) =>
    put(
      "gemini",
      `#!/bin/sh\ncase $1 in --version) echo "${version}" ;; *) echo "${help}" ;; esac\n`,
      0o755,
    );
  const cache = { read: async () => null, write: async () => {} };
  const look = (binary: string) => probe(agent({ binary }), { cache, timeout: patience, digest });
  const help =
    "Usage: gemini [options]\n  -m, --model  x\n  -r, --resume  x\n      --session-id  x\n  -o, --output-format  x";

  test("finds version and abilities", async () => {
    const { runtime } = await look(program("0.61.0", help));
    expect(runtime).toEqual({
      product: "gemini-cli",
      home: folder,
      version: "0.61.0",
      abilities: ["resume", "model-on-resume"],
    });
    const older = await look(program("0.60.0", help.replace("--session-id", "--other")));
    expect(older.runtime).toMatchObject({ version: "0.60.0", abilities: [] });
  });

  test("the version of the npm package is read from it", async () => {
    const binary = put("bundle/gemini.js", `#!/bin/sh\necho "${help}"\n`, 0o755);
    put("package.json", '{\n  "name": "@google/gemini-cli",\n  "version": "0.62.0"\n}');
    expect((await look(binary)).runtime).toMatchObject({ version: "0.62.0" });
  });

  test("another program is not gemini", async () => {
    await expect(look(program("2.1.325 (Claude Code)", help))).rejects.toThrow(NotFoundError);
    await expect(look(program("0.61.0", "Usage: other"))).rejects.toMatchObject({
      code: "not-the-agent",
    });
  });

  test("a program that is not there", () => {
    const missing = (find: () => string) => expect(find).toThrow(NotFoundError);
    missing(() => findBinary(undefined, folder));
    missing(() => findBinary(join(folder, "nope"), undefined));
  });
});

describe("home", () => {
  test("that of the settings, else of the environment, else the user's", async () => {
    expect(await homeOf(agent({ home: "/a" }, { GEMINI_CLI_HOME: "/b" }))).toBe("/a");
    expect(await homeOf(agent({}, { GEMINI_CLI_HOME: "/b" }))).toBe("/b");
    expect(await homeOf(agent({}))).toBe(folder);
  });

  test("a home of the agent's own begins with settings that keep sessions, and keeps its own", async () => {
    const home = join(folder, "own");
    const file = join(home, ".gemini", "settings.json");
    await readyHome(agent({ home }, { GEMINI_API_KEY: "k" }));
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      general: { sessionRetention: { enabled: false } },
      security: { auth: { selectedType: "gemini-api-key" } },
    });
    writeFileSync(file, "{}");
    await readyHome(agent({ home }));
    expect(readFileSync(file, "utf8")).toBe("{}");
  });
});

describe("account", () => {
  const settings = (selectedType: string) =>
    put(".gemini/settings.json", JSON.stringify({ security: { auth: { selectedType } } }));
  const of = (env: Record<string, string> = {}) => accountOf(agent({}, env), folder, digest);

  test("a keyed digest of the key", async () => {
    expect(await of()).toBeNull();
    expect(await of({ GEMINI_API_KEY: "k" })).toBe(`key:${digest("k")}`);
    settings("vertex-ai");
    expect(await of({ GEMINI_API_KEY: "k", GOOGLE_API_KEY: "g" })).toBe(`key:${digest("g")}`);
  });

  test("the address of the login, where it is used", async () => {
    put(".gemini/google_accounts.json", '{"active":"me@example.com","old":[]}');
    expect(await of({ GEMINI_API_KEY: "k" })).toBe(`key:${digest("k")}`);
    settings("oauth-personal");
    expect(await of({ GEMINI_API_KEY: "k" })).toBe("google:me@example.com");
    put(".gemini/google_accounts.json", "{");
    expect(await of()).toBeNull();
  });
});
