import { createHash } from "node:crypto";
import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
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
  folder = temporaryFolder("claude-probe");
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
      "claude",
      `#!/bin/sh\necho "$1" >>${folder}/asked\ncase $1 in --version) echo "${version}" ;; *) echo "${help}" ;; esac\n`,
      0o755,
    );
  const cache = () => {
    const known = new Map<string, unknown>();
    return {
      read: async (binary: string) => known.get(binary),
      write: async (binary: string, result: unknown) => void known.set(binary, result),
    };
  };
  const options = "  -r, --resume [value]  x\n  --session-id <uuid>  x\n  --model <model>  x";

  test("asks a build once for its version and abilities", async () => {
    const binary = program("2.1.325 (Claude Code)", options);
    const tools = { cache: cache(), timeout: patience, digest };
    const found = await probe(agent({ binary }), tools);
    expect(found.runtime).toEqual({
      product: "claude-code",
      home: join(folder, ".claude"),
      version: "2.1.325",
      abilities: ["resume", "model-on-resume"],
    });
    expect(await probe(agent({ binary }), tools)).toEqual(found);
    program("2.1.326 (Claude Code) with more bytes", options.replace("--session-id", "--other"));
    const newer = await probe(agent({ binary }), tools);
    expect(newer.runtime).toMatchObject({ version: "2.1.326", abilities: [] });
  });

  test.each([
    ["0.9.1 (Open Claude)", "open-claude", "0.9.1"],
    ["openclaude 0.9.1", "openclaude", "0.9.1"],
    ["openclaude v1.0.0-beta.2", "openclaude", "1.0.0-beta.2"],
    ["1.2.3", "claude", "1.2.3"],
    ["claude-code 2.0.0", "claude-code-fork", "2.0.0"],
  ])("S4: a fork that prints %j is a separate product: %s", async (said, product, version) => {
    const binary = program(said, `${options}\n  -p, --print  x\n  --output-format <format>  x`);
    const tools = { cache: cache(), timeout: patience, digest };
    const { runtime } = await probe(agent({ binary }), tools);
    expect(runtime).toMatchObject({ product, version, abilities: ["resume", "model-on-resume"] });
  });

  test("an entry of an earlier version of Reprise, without a product, is claude", async () => {
    const binary = program("2.1.325 (Claude Code)", options);
    const tools = { cache: cache(), timeout: patience, digest };
    const { size, mtimeMs: time } = statSync(binary);
    await tools.cache.write(binary, { size, time, version: "2.1.325", abilities: ["resume"] });
    expect((await probe(agent({ binary }), tools)).runtime.product).toBe("claude-code");
  });

  test("another program is not claude", async () => {
    const binary = program("1.0", "");
    await expect(
      probe(agent({ binary }), { cache: cache(), timeout: patience, digest }),
    ).rejects.toThrow(NotFoundError);
  });
});

describe("binary", () => {
  test("is the first that exists, by path or by name", () => {
    const first = put("first/claude", "", 0o755);
    put("second/claude", "", 0o755);
    const path = `${folder}/second:${folder}/first`;
    expect(findBinary([], path)).toBe(join(folder, "second/claude"));
    expect(findBinary([join(folder, "gone"), first], path)).toBe(first);
    expect(findBinary(["claude-next", "claude"], path)).toBe(join(folder, "second/claude"));
    expect(findBinary([first, "claude"], path)).toBe(first);
  });

  test("is the native one when the npm package has only a stub", () => {
    const modules = "lib/node_modules/@anthropic-ai";
    const stub = put(`${modules}/claude-code/bin/claude.exe`, "", 0o755);
    mkdirSync(join(folder, "bin"));
    symlinkSync(stub, join(folder, "bin/claude"));
    expect(findBinary([], join(folder, "bin"))).toBe(stub);
    const native = `${modules}/claude-code-${process.platform}-${process.arch}`;
    put(`${native}/package.json`, "{}");
    const program = put(`${native}/claude`, "", 0o755);
    expect(findBinary([], join(folder, "bin"))).toBe(program);
  });

  test.each<[string[], RegExp]>([
    [[], /not installed/],
    [["/gone/claude", "claude-next"], /no program at "\/gone\/claude" nor at "claude-next"/],
  ])("%j is not there", (names, said) => {
    put("bin/claude", "not executable");
    expect(() => findBinary(names, join(folder, "bin"))).toThrow(NotFoundError);
    expect(() => findBinary(names, join(folder, "bin"))).toThrow(said);
  });
});

test("home is the agent's own, else the environment's, else ~/.claude, by its real path", async () => {
  mkdirSync(join(folder, "env"));
  symlinkSync(join(folder, "env"), join(folder, "link"));
  const env = { CLAUDE_CONFIG_DIR: join(folder, "link") };
  const own = agent({ home: join(folder, "own/home") }, env);
  expect(await homeOf(own)).toBe(join(folder, "own/home"));
  expect(await readyHome(own)).toBe(join(folder, "own/home"));
  expect(statSync(join(folder, "own/home")).mode & 0o777).toBe(0o700);
  expect(await homeOf(agent({}, env))).toBe(join(folder, "env"));
  expect(await homeOf(agent({}))).toBe(join(folder, ".claude"));
});

describe("account", () => {
  const account = (env: Record<string, string>, settings: Record<string, string> = {}) =>
    accountOf(agent(settings, env), digest);
  const login = (accountUuid: string) => JSON.stringify({ oauthAccount: { accountUuid } });

  test("a key of the environment comes before a login", async () => {
    expect(await account({})).toBeNull();
    put(".claude.json", login("acc-1"));
    expect(await account({})).toBe("claude:acc-1");
    expect(await account({ CLAUDE_CODE_OAUTH_TOKEN: "t" })).toBe(`key:${digest("t")}`);
    const both = { CLAUDE_CODE_OAUTH_TOKEN: "t", ANTHROPIC_API_KEY: "k" };
    expect(await account(both)).toBe(`key:${digest("k")}`);
    expect(await account({ ...both, ANTHROPIC_AUTH_TOKEN: "a" })).toBe(`key:${digest("a")}`);
    expect(await account({ ANTHROPIC_API_KEY: "" })).toBe("claude:acc-1");
  });

  test("a home that was set has its own login", async () => {
    put(".claude.json", login("acc-1"));
    put("own/.claude.json", login("acc-2"));
    expect(await account({}, { home: join(folder, "own") })).toBe("claude:acc-2");
    expect(await account({ CLAUDE_CONFIG_DIR: join(folder, "own") })).toBe("claude:acc-2");
    put("own/.claude.json", "{");
    expect(await account({}, { home: join(folder, "own") })).toBeNull();
  });
});
