import { createHash } from "node:crypto";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
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
  folder = temporaryFolder("pi-probe");
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
      "pi",
      `#!/bin/sh\ncase $1 in --version) echo "${version}" ;; *) echo "${help}" ;; esac\n`,
      0o755,
    );
  const cache = { read: async () => null, write: async () => {} };
  const look = (binary: string) => probe(agent({ binary }), { cache, timeout: patience, digest });
  const flags = [
    "--model <x>",
    "--session <x>",
    "--session-id <x>",
    "--session-dir <x>",
    "--mode <x>",
  ];
  const help = `pi - AI coding assistant\n${flags.map((flag) => `  ${flag}`).join("\n")}`;

  test("finds version and abilities", async () => {
    const { runtime } = await look(program("1.5.0", help));
    expect(runtime).toEqual({
      product: "pi",
      home: join(folder, ".pi", "agent"),
      version: "1.5.0",
      abilities: ["resume", "model-on-resume"],
    });
    const older = await look(program("0.50.0", help.replace("--session-id", "--other")));
    expect(older.runtime).toMatchObject({ version: "0.50.0", abilities: [] });
  });

  test("the version of the npm package is read from it", async () => {
    const binary = put("dist/bundle/cli.js", `#!/bin/sh\necho "${help}"\n`, 0o755);
    put("package.json", '{\n  "name": "@earendil-works/pi-coding-agent",\n  "version": "1.6.0"\n}');
    expect((await look(binary)).runtime).toMatchObject({ version: "1.6.0" });
  });

  test("another program is not pi", async () => {
    await expect(look(program("2.1.325 (Claude Code)", help))).rejects.toThrow(NotFoundError);
    await expect(look(program("1.5.0", "Usage: other"))).rejects.toMatchObject({
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
    expect(await homeOf(agent({ home: "/a" }, { PI_CODING_AGENT_DIR: "/b" }))).toBe("/a");
    expect(await homeOf(agent({}, { PI_CODING_AGENT_DIR: "/b" }))).toBe("/b");
    expect(await homeOf(agent({}, { PI_CODING_AGENT_DIR: "~/b" }))).toBe(join(folder, "b"));
    expect(await homeOf(agent({}))).toBe(join(folder, ".pi", "agent"));
  });

  test("a home of the agent's own is made for its owner alone", async () => {
    const home = join(folder, "own");
    expect(await readyHome(agent({ home }))).toBe(home);
    expect(statSync(home).mode & 0o777).toBe(0o700);
  });
});

describe("account", () => {
  const account = (env: Record<string, string> = {}) => accountOf(agent({}, env), folder, digest);
  const settings = (defaultProvider: string) =>
    put("settings.json", JSON.stringify({ defaultProvider }));
  const key = (provider: string, value: string) => `${provider}:key:${digest(value)}`;

  test("that of the default provider", async () => {
    const anthropic = { type: "api_key", key: "a" };
    put("auth.json", JSON.stringify({ anthropic, openai: { type: "api_key", key: "b" } }));
    expect(await account()).toBeNull();
    settings("openai");
    expect(await account()).toBe(key("openai", "b"));
    settings("google");
    expect(await account()).toBeNull();
    expect(await account({ GOOGLE_API_KEY: "c" })).toBe(key("google", "c"));
  });

  test("a login has an id or is unknown; its tokens are not looked at", async () => {
    const login = (more: object) =>
      put("auth.json", JSON.stringify({ codex: { type: "oauth", access: "x", ...more } }));
    login({ accountId: "me" });
    expect(await account()).toBe("codex:me");
    login({});
    expect(await account({ CODEX_API_KEY: "x" })).toBeNull();
  });

  test("a key of models.json is written there, in the environment, or unknown", async () => {
    const apiKey = (value: string) =>
      put("models.json", JSON.stringify({ providers: { own: { apiKey: value } } }));
    apiKey("a");
    expect(await account()).toBe(key("own", "a"));
    for (const name of ["$NAME", "$" + "{NAME}"]) {
      apiKey(name);
      expect(await account({ NAME: "b" })).toBe(key("own", "b"));
      expect(await account()).toBeNull();
    }
    apiKey("!pass show key");
    expect(await account({ OWN_API_KEY: "c" })).toBeNull();
  });

  test("files that cannot be read are pi's to report", async () => {
    put("settings.json", "{");
    expect(await account()).toBeNull();
  });
});
