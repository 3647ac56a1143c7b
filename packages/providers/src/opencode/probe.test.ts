import { createHash } from "node:crypto";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NotFoundError } from "@reprise/core/errors/errors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { patience } from "../../../../test/until.ts";
import type { ProviderAgent } from "../provider.ts";
import { accountOf } from "./account.ts";
import { findBinary, nativePackage } from "./binary.ts";
import { homeOf, placeOf, readyPlace } from "./home.ts";
import { probe } from "./probe.ts";

const digest = (text: string) => createHash("sha256").update(text).digest("hex");
const key = (text: string) => `key:${digest(text)}`;
let folder: string;
beforeEach(() => {
  folder = temporaryFolder("opencode-probe");
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (name: string, text: string, mode = 0o600) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text, { mode });
  return join(folder, name);
};
const agent = (settings: Record<string, string> = {}, env: Record<string, string> = {}) =>
  ({
    name: "coder",
    settings,
    privateFolder: folder,
    env: { HOME: folder, PATH: "/usr/bin:/bin", ...env },
  }) satisfies ProviderAgent;

describe("probe", () => {
  const program = (version: string, help: string) =>
    put(
      "opencode",
      `#!/bin/sh\ncase $1 in --version) echo "${version}" ;; *) echo "${help}" >&2 ;; esac\n`,
      0o755,
    );
  const cache = { read: async () => null, write: async () => {} };
  const look = (binary: string) => probe(agent({ binary }), { cache, timeout: patience, digest });
  const help =
    "opencode run [message..]\n  -s, --session  x\n  -m, --model  x\n      --format  x\n      --dir  x";

  test("finds version and abilities, in what it says on standard error", async () => {
    const { runtime } = await look(program("1.18.33", help));
    expect(runtime).toEqual({
      product: "opencode",
      home: folder,
      version: "1.18.33",
      abilities: ["resume", "model-on-resume"],
    });
    const older = await look(program("0.5.0", help.replace("--dir", "--other")));
    expect(older.runtime).toMatchObject({ version: "0.5.0", abilities: [] });
  });

  test("another program, and none, are refused", async () => {
    await expect(look(program("1.18.33", "Usage: codex"))).rejects.toThrow(NotFoundError);
    await expect(look("/no/such/program")).rejects.toThrow(NotFoundError);
  });

  test("the native program is started instead of the npm package's launcher", () => {
    const launcher = put("node_modules/opencode-ai/bin/opencode", "#!/bin/sh\n", 0o755);
    expect(findBinary(launcher, "")).toBe(launcher);
    const native = put(`node_modules/${nativePackage()}/bin/opencode`, "#!/bin/sh\n", 0o755);
    expect(findBinary(launcher, "")).toBe(native);
  });
});

describe("home", () => {
  test("is that of the settings, else of the environment, with its folders", async () => {
    expect(await homeOf(agent())).toBe(folder);
    expect(await placeOf(agent())).toBe(join(folder, ".local/share/opencode"));
    const data = join(folder, "data");
    expect(await placeOf(agent({}, { XDG_DATA_HOME: data }))).toBe(join(data, "opencode"));
    const own = agent({ home: join(folder, "own") }, { XDG_DATA_HOME: data });
    const place = await readyPlace(own);
    expect(place).toBe(join(folder, "own/.local/share/opencode"));
    expect(statSync(place).mode & 0o777).toBe(0o700);
  });
});

describe("account", () => {
  const login = (logins: object) => put(".local/share/opencode/auth.json", JSON.stringify(logins));
  const configure = (config: object) =>
    put(".config/opencode/opencode.json", JSON.stringify(config));
  const account = (env: Record<string, string> = {}) => accountOf(agent({}, env), digest);

  test("is unknown without a login and a model", async () => {
    expect(await account()).toBeNull();
    put(".config/opencode/opencode.json", "no JSON");
    expect(await account()).toBeNull();
  });

  test("is that of the only login, or of the one that the model belongs to", async () => {
    login({ anthropic: { type: "api", key: "one" } });
    expect(await account()).toBe(key("one"));
    login({
      anthropic: { type: "api", key: "one" },
      openai: { type: "oauth", access: "changes", accountId: "me" },
    });
    expect(await account()).toBeNull();
    configure({ model: "openai/gpt" });
    expect(await account()).toBe("openai:me");
    // The configuration of the environment counts before that of the home.
    const content = JSON.stringify({ model: "anthropic/claude" });
    expect(await account({ OPENCODE_CONFIG_CONTENT: content })).toBe(key("one"));
  });

  test("is a digest of the key that the configuration or the environment has", async () => {
    const options = { apiKey: "{env:MY_KEY}" };
    configure({ model: "local/test", provider: { local: { options } } });
    expect(await account({ MY_KEY: "mine" })).toBe(key("mine"));
    expect(await account()).toBeNull();
    configure({ model: "local/test", provider: { local: { env: ["OTHER_KEY"] } } });
    expect(await account({ OTHER_KEY: "other" })).toBe(key("other"));
    configure({ model: "anthropic/claude" });
    expect(await account({ ANTHROPIC_API_KEY: "theirs" })).toBe(key("theirs"));
  });
});
