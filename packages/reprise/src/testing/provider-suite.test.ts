import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { acp } from "@reprise/providers/acp/provider";
import { startChatServer } from "@reprise/providers/models/openai-chat";
import { openai } from "@reprise/providers/openai/provider";
import { scripted } from "@reprise/providers/scripted/provider";
import { afterAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { providerSuite } from "./provider-suite.ts";

const testAgent = fileURLToPath(import.meta.resolve("@reprise/providers/acp/test-agent"));

describe("X2: the scripted agent passes the provider suite", () => {
  for (const { name, run } of providerSuite({ provider: scripted })) test(name, run);
});

describe("X2: models behind an API pass the provider suite", async () => {
  const server = await startChatServer();
  afterAll(() => server.close());
  const checks = providerSuite({
    provider: openai,
    settings: { model: "any" },
    env: { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "a-secret-of-tests" },
  });
  for (const { name, run } of checks) test(name, run);
});

describe("X2: an ACP agent passes the provider suite", async () => {
  const server = await startChatServer();
  const home = temporaryFolder("suite-acp");
  afterAll(async () => {
    await server.close();
    rmSync(home, { recursive: true });
  });
  const checks = providerSuite({
    provider: acp,
    settings: { command: JSON.stringify([process.execPath, testAgent]) },
    env: { OPENAI_BASE_URL: `${server.url}/v1`, TEST_AGENT_HOME: home },
  });
  for (const { name, run } of checks) test(name, run);
});

test("X2: the suite finds what a provider does wrong", async () => {
  const failed = async (provider: typeof scripted) => {
    const names: string[] = [];
    for (const { name, run } of providerSuite({ provider }))
      await run().catch(() => names.push(name));
    return names;
  };
  const manifest = { ...scripted.manifest, name: "mine", runners: [], bridges: [] };
  const forgetful = {
    ...scripted,
    manifest,
    copyOut: async () => [],
    reader: () => ({ line: () => [], end: () => [] }),
  };
  expect(await failed(forgetful)).toEqual(
    expect.arrayContaining([
      "a session is continued by another process",
      "files that were lost are restored, and the session continues",
    ]),
  );
});
