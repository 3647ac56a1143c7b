/** Which agents would refuse to answer for want of a login: `doctor` says how to log in. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import * as claude from "./claude/account.ts";
import { lacksLogin as codex } from "./codex/account.ts";
import { lacksLogin as gemini } from "./gemini/account.ts";
import { lacksLogin as openai } from "./openai/account.ts";
import type { ProviderAgent } from "./provider.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder("login");
  mkdirSync(join(folder, ".codex"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Case {
  readonly env?: Record<string, string>;
  readonly settings?: Record<string, string>;
  readonly files?: Record<string, string>;
}

const onLinux = (agent: ProviderAgent) => claude.lacksLogin(agent, "linux");
const onMac = (agent: ProviderAgent) => claude.lacksLogin(agent, "darwin");
const custom = 'model_provider = "x"\n[model_providers.x]\nname = "x"\n';

test.each<[string, (agent: ProviderAgent) => Promise<boolean>, Case, boolean]>([
  ["claude: nothing", onLinux, {}, true],
  ["claude: a key", onLinux, { env: { ANTHROPIC_API_KEY: "k" } }, false],
  ["claude: a login", onLinux, { files: { ".claude/.credentials.json": "{}" } }, false],
  ["claude: a saved key", onLinux, { files: { ".claude.json": '{"primaryApiKey":"k"}' } }, false],
  [
    "claude: a key in its settings",
    onLinux,
    { files: { ".claude/settings.json": '{"env":{"ANTHROPIC_AUTH_TOKEN":"k"}}' } },
    false,
  ],
  [
    "claude: a helper",
    onLinux,
    { files: { ".claude/settings.json": '{"apiKeyHelper":"./key.sh"}' } },
    false,
  ],
  ["claude: another service", onLinux, { env: { CLAUDE_CODE_USE_BEDROCK: "1" } }, false],
  [
    "claude: settings that are not JSON",
    onLinux,
    { files: { ".claude/settings.json": "{" } },
    true,
  ],
  ["claude: the keychain of macOS is not read", onMac, {}, false],

  ["codex: nothing", codex, {}, true],
  ["codex: a key", codex, { env: { CODEX_API_KEY: "k" } }, false],
  [
    "codex: a login",
    codex,
    { files: { ".codex/auth.json": '{"tokens":{"account_id":"a"}}' } },
    false,
  ],
  [
    "codex: a login in the key store",
    codex,
    { files: { ".codex/config.toml": 'cli_auth_credentials_store = "keyring"' } },
    false,
  ],
  ["codex: a service that needs none", codex, { files: { ".codex/config.toml": custom } }, false],
  [
    "codex: a service whose key is not set",
    codex,
    { files: { ".codex/config.toml": `${custom}env_key = "X_KEY"\n` } },
    true,
  ],
  [
    "codex: a service whose key is set",
    codex,
    { env: { X_KEY: "k" }, files: { ".codex/config.toml": `${custom}env_key = "X_KEY"\n` } },
    false,
  ],

  ["gemini: nothing", gemini, {}, true],
  ["gemini: a key", gemini, { env: { GEMINI_API_KEY: "k" } }, false],
  ["gemini: a key in its .env", gemini, { files: { ".gemini/.env": "GEMINI_API_KEY=k" } }, false],
  [
    "gemini: a way that was chosen in gemini",
    gemini,
    {
      files: { ".gemini/settings.json": '{"security":{"auth":{"selectedType":"oauth-personal"}}}' },
    },
    false,
  ],
  ["gemini: Vertex AI", gemini, { env: { GOOGLE_GENAI_USE_VERTEXAI: "true" } }, false],

  ["openai: nothing", openai, {}, true],
  ["openai: a key", openai, { env: { OPENAI_API_KEY: "k" } }, false],
  ["openai: a service of one's own", openai, { settings: { baseUrl: "http://[::1]:1/v1" } }, false],
])("%s", async (_, lacksLogin, { env = {}, settings = {}, files = {} }, lacks) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const agent = { name: "coder", settings, privateFolder: folder, env: { HOME: folder, ...env } };
  expect(await lacksLogin(agent)).toBe(lacks);
});
