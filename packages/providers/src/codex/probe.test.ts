import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 8);
let folder: string;
const put = (name: string, text: string, mode = 0o644) => {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
};
const agent = (
  settings: Record<string, string>,
  env: Record<string, string> = {},
): ProviderAgent => ({
  name: "coder",
  settings,
  privateFolder: join(folder, "private"),
  env: { HOME: folder, ...env },
});

beforeEach(() => {
  folder = temporaryFolder("codex");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A program that answers as codex does, and counts how often it was asked. */
const program = (name: string, help: string) =>
  put(
    name,
    `#!/bin/sh
echo asked >> "${folder}/asked"
case "$1" in --version) echo "codex-cli 0.166.0";; exec) printf '%s' '${help}';; esac
`,
    0o755,
  );
const resumeHelp = "[SESSION_ID] [PROMPT]\n  -m, --model <MODEL>\n      --json\n";

describe("probe", () => {
  test("reports the program, its abilities and its home", async () => {
    const binary = program("bin/codex", resumeHelp);
    mkdirSync(join(folder, ".codex"));
    const known = new Map<string, unknown>();
    const tools = {
      digest,
      timeout: patience,
      cache: {
        read: async (of: string) => known.get(of),
        write: async (of: string, result: unknown) => void known.set(of, result),
      },
    };
    const one = agent({}, { PATH: `/nowhere:${join(folder, "bin")}:/bin`, CODEX_API_KEY: "sk-1" });
    const expected = {
      binary,
      runtime: {
        product: "codex",
        home: join(folder, ".codex"),
        version: "0.166.0",
        abilities: ["resume", "model-on-resume"],
      },
      account: `key:${digest("sk-1")}`,
    };
    expect(await probe(one, tools)).toEqual(expected);
    expect(await probe(one, tools)).toEqual(expected);
    const asked = () => readFileSync(join(folder, "asked"), "utf8").trim().split("\n").length;
    expect(asked()).toBe(2);

    program("bin/codex", "unrecognized subcommand");
    expect((await probe(one, tools)).runtime.abilities).toEqual([]);
    expect(asked()).toBe(4);
  });

  test("a program that is not codex is named", async () => {
    const binary = put("bin/codex", "#!/bin/sh\necho hello\n", 0o755);
    mkdirSync(join(folder, ".codex"));
    const cache = { read: async () => null, write: async () => {} };
    await expect(probe(agent({ binary }), { digest, cache, timeout: patience })).rejects.toThrow(
      /is not codex/,
    );
  });
});

describe("findBinary", () => {
  test("the npm launcher is replaced by the native program beside it", () => {
    const launcher = put(
      "lib/node_modules/@openai/codex/bin/codex.js",
      "#!/usr/bin/env node\n",
      0o755,
    );
    mkdirSync(join(folder, "bin"));
    symlinkSync(launcher, join(folder, "bin/codex"));
    expect(findBinary(undefined, join(folder, "bin"))).toBe(launcher);

    const system = `${process.platform}-${process.arch}`;
    const target = { x64: "x86_64", arm64: "aarch64" }[process.arch as "x64" | "arm64"];
    const suffix = process.platform === "darwin" ? "apple-darwin" : "unknown-linux-musl";
    const inside = `vendor/${target}-${suffix}/bin/codex`;
    const own = put(`lib/node_modules/@openai/codex/${inside}`, "", 0o755);
    expect(findBinary(join(folder, "bin/codex"), undefined)).toBe(own);

    put(`lib/node_modules/@openai/codex-${system}/package.json`, "{}");
    const native = put(`lib/node_modules/@openai/codex-${system}/${inside}`, "", 0o755);
    expect(findBinary(undefined, join(folder, "bin"))).toBe(native);
  });

  test.each([
    [undefined, /not installed/],
    ["codex-nightly", /no program at "codex-nightly"/],
    ["/nowhere/codex", /no program at "\/nowhere\/codex"/],
  ])("%s is not there", (setting, said) => {
    put("bin/codex", "not executable");
    expect(() => findBinary(setting, join(folder, "bin"))).toThrow(NotFoundError);
    expect(() => findBinary(setting, join(folder, "bin"))).toThrow(said);
  });
});

describe("home", () => {
  test("is the agent's own, created when needed, else the environment's, else ~/.codex", async () => {
    const own = agent({ home: join(folder, "own/home") }, { CODEX_HOME: join(folder, "env") });
    expect(await homeOf(own)).toBe(join(folder, "own/home"));
    expect(await readyHome(own)).toBe(join(folder, "own/home"));
    expect(statSync(join(folder, "own/home")).mode & 0o777).toBe(0o700);

    mkdirSync(join(folder, "env"));
    symlinkSync(join(folder, "env"), join(folder, "link"));
    expect(await homeOf(agent({}, { CODEX_HOME: join(folder, "link") }))).toBe(join(folder, "env"));
    symlinkSync(folder, join(folder, "up"));
    expect(await homeOf(agent({ home: join(folder, "up/new") }))).toBe(join(folder, "new"));

    await expect(homeOf(agent({}))).rejects.toThrow(`Codex has no home: "${folder}/.codex"`);
    mkdirSync(join(folder, ".codex"));
    expect(await homeOf(agent({}))).toBe(join(folder, ".codex"));
  });
});

describe("account", () => {
  const account = (env: Record<string, string>, settings: Record<string, string> = {}) =>
    accountOf(agent(settings, env), folder, digest);
  const key = (text: string) => `key:${digest(text)}`;

  test("an API key in the environment comes before a login, one in the login file after it", async () => {
    expect(await account({})).toBeNull();
    expect(await account({ OPENAI_API_KEY: "sk-0" })).toBe(key("sk-0"));
    put("auth.json", JSON.stringify({ OPENAI_API_KEY: "sk-2", tokens: null }));
    expect(await account({ OPENAI_API_KEY: "sk-0" })).toBe(key("sk-2"));
    const tokens = { access_token: "a", account_id: "acc-1" };
    put("auth.json", JSON.stringify({ OPENAI_API_KEY: null, tokens }));
    expect(await account({})).toBe("chatgpt:acc-1");
    put("auth.json", JSON.stringify({ tokens: { ...tokens, access_token: "refreshed" } }));
    expect(await account({})).toBe("chatgpt:acc-1");
    expect(await account({ CODEX_API_KEY: "sk-1" })).toBe(key("sk-1"));
  });

  test("another model provider has its own key, or none", async () => {
    put("auth.json", JSON.stringify({ tokens: { account_id: "acc-1" } }));
    put(
      "config.toml",
      'model_provider = "mine"\n[model_providers.mine]\nenv_key = "MINE"\n[model_providers.open]\nname = "x"\n',
    );
    expect(await account({ MINE: "k", CODEX_API_KEY: "sk-1" })).toBe(key("k"));
    expect(await account({ CODEX_API_KEY: "sk-1" })).toBeNull();
    expect(await account({}, { "config.model_provider": '"open"' })).toBeNull();
    expect(await account({}, { "config.model_provider": "openai" })).toBe("chatgpt:acc-1");
    const inline = {
      "config.model_provider": "new",
      "config.model_providers.new": '{ env_key = "NEW" }',
    };
    expect(await account({ NEW: "n" }, inline)).toBe(key("n"));
    expect(await account({ OTHER: "o" }, { "config.model_providers.mine.env_key": "OTHER" })).toBe(
      key("o"),
    );
  });

  test("files that cannot be read are ignored", async () => {
    put("config.toml", "model_provider = ");
    put("auth.json", "{");
    expect(await account({})).toBeNull();
  });
});
