/** The provider suite on the real programs, with model servers on loopback. */

import { rmSync } from "node:fs";
import { claude } from "@reprise/providers/claude/provider";
import { codex } from "@reprise/providers/codex/provider";
import { gemini } from "@reprise/providers/gemini/provider";
import { startAnthropicServer } from "@reprise/providers/models/anthropic-messages";
import { startGeminiServer } from "@reprise/providers/models/gemini-content";
import { startChatServer } from "@reprise/providers/models/openai-chat";
import { startResponsesServer } from "@reprise/providers/models/openai-responses";
import { opencode } from "@reprise/providers/opencode/provider";
import { pi } from "@reprise/providers/pi/provider";
import { afterAll, describe, test } from "vitest";
import { agentBinary, installAgents, leftOut } from "../../../../test/agents/agents.ts";
import { claudeEnvironment } from "../../../../test/agents/claude-home.ts";
import { codexKey, makeCodexHome } from "../../../../test/agents/codex-home.ts";
import { geminiEnvironment, makeGeminiHome } from "../../../../test/agents/gemini-home.ts";
import { opencodeEnvironment } from "../../../../test/agents/opencode-home.ts";
import { makePiHome, piEnvironment } from "../../../../test/agents/pi-home.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { providerSuite } from "./provider-suite.ts";

await installAgents();
const [anthropic, responses, google, chat] = await Promise.all([
  startAnthropicServer(),
  startResponsesServer(),
  startGeminiServer(),
  startChatServer(),
]);
const codexHome = temporaryFolder("suite-codex");
await makeCodexHome(codexHome, responses);
const geminiHome = temporaryFolder("suite-gemini");
await makeGeminiHome(geminiHome);
const piHome = temporaryFolder("suite-pi");
await makePiHome(piHome, chat);
afterAll(async () => {
  await Promise.all([anthropic, responses, google, chat].map((server) => server.close()));
  for (const home of [codexHome, geminiHome, piHome])
    rmSync(home, { recursive: true, force: true });
});

describe.skipIf(leftOut("claude") !== null)("X2: claude passes the provider suite", () => {
  const checks = providerSuite({
    provider: claude,
    settings: (home) => ({ binary: agentBinary("claude"), home }),
    env: claudeEnvironment(anthropic),
  });
  for (const { name, run } of checks) test(name, run);
});

describe.skipIf(leftOut("codex") !== null)("X2: codex passes the provider suite", () => {
  const checks = providerSuite({
    provider: codex,
    settings: { binary: agentBinary("codex"), home: codexHome },
    env: { [codexKey]: "a-secret-of-tests" },
  });
  for (const { name, run } of checks) test(name, run);
});

describe.skipIf(leftOut("gemini") !== null)("X2: gemini passes the provider suite", () => {
  const checks = providerSuite({
    provider: gemini,
    settings: { binary: agentBinary("gemini"), home: geminiHome },
    env: geminiEnvironment(google),
  });
  for (const { name, run } of checks) test(name, run);
});

describe.skipIf(leftOut("opencode") !== null)("X2: opencode passes the provider suite", () => {
  const checks = providerSuite({
    provider: opencode,
    settings: (home) => ({ binary: agentBinary("opencode"), home }),
    env: opencodeEnvironment(chat),
  });
  for (const { name, run } of checks) test(name, run);
});

describe.skipIf(leftOut("pi") !== null)("X2: pi passes the provider suite", () => {
  const checks = providerSuite({
    provider: pi,
    settings: { binary: agentBinary("pi"), home: piHome },
    env: piEnvironment(),
  });
  for (const { name, run } of checks) test(name, run);
});
