import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  bridgePath,
  checkAgentSettings,
  providerProblem,
  secretSetting,
} from "./define-provider.ts";
import { settingsJsonSchema } from "./manifest.ts";
import { capabilityMatrix } from "./matrix.ts";
import { builtInProviders, ProviderRegistry } from "./registry.ts";
import { scripted } from "./scripted/provider.ts";
import { newestTested } from "./tested-version.ts";

const registry = new ProviderRegistry();

test.each(builtInProviders)("X2: the manifest of $manifest.name is complete", (provider) => {
  expect(providerProblem(provider)).toBeNull();
  for (const bridge of provider.manifest.bridges) expect(existsSync(bridgePath(bridge))).toBe(true);
});

test.each([
  ["claude", "@anthropic-ai/claude-code"],
  ["codex", "@openai/codex"],
])("X2: %s is tested with the version of %s that the tests install", (name, program) => {
  const file = new URL("../../../test/agents/package.json", import.meta.url);
  const { dependencies } = JSON.parse(readFileSync(file, "utf8"));
  expect(registry.find(name).manifest.program.tested).toContain(dependencies[program]);
});

test.each([
  ["1.2.0", null],
  ["1.1.9", null],
  ["1.2.0-beta", null],
  ["1.2", null],
  ["1.10.0", "1.2.0"],
  ["2", "1.2.0"],
  ["unknown", null],
])("X2: version %s is compared with the newest tested one", (version, newest) => {
  const program = { product: "parrot", tested: ["1.2.0", "1.1.0"], install: "" };
  expect(newestTested({ program }, { product: "parrot", version })).toBe(newest);
  expect(newestTested({ program }, { product: "a-fork", version })).toBeNull();
});

const described = {
  name: "parrot",
  settings: {
    properties: {
      apiKey: { description: "The key.", format: "secret" },
      voice: { description: "Loud or soft.", enum: ["loud", "soft"], default: "soft" },
      tools: { description: "Programs.", format: "program", separator: "," },
    },
    patternProperties: { "^word\\.": { title: "word.NAME", description: "A word." } },
  },
} as const;

test.each([
  [{ apiKey: "sk-12345678" }, "The setting apiKey is a secret, and secrets are not stored."],
  [{ voice: "lout" }, 'The setting voice is "lout", which parrot does not have.'],
  [{ tools: "a, ./b" }, 'The setting tools is "./b", which is not an absolute path.'],
  [{ wrd: "x" }, 'An agent of parrot has no setting "wrd".'],
])("X2: settings are checked by their schema: %j", (settings, message) => {
  expect(() => checkAgentSettings(described, settings as Record<string, string>)).toThrow(message);
});

test("X2: a secret setting names a variable, and is marked in the JSON Schema", () => {
  const settings = { apiKey: "env:PARROT_KEY", voice: "loud", tools: "a,/b", "word.x": "y" };
  checkAgentSettings(described, settings);
  expect(secretSetting({ settings, env: { PARROT_KEY: "sk-1" } }, "apiKey")).toBe("sk-1");
  expect(secretSetting({ settings: {}, env: {} }, "apiKey")).toBeUndefined();
  expect(() => secretSetting({ settings, env: {} }, "apiKey")).toThrow(
    "PARROT_KEY, which is not set",
  );
  expect(settingsJsonSchema(described.settings)).toMatchObject({
    properties: {
      apiKey: { writeOnly: true, pattern: "^env:" },
      voice: { enum: ["loud", "soft"] },
    },
    patternProperties: { "^word\\.": { title: "word.NAME" } },
    additionalProperties: false,
  });
});

test("X2: a provider that does not list an ability is shown without it", () => {
  const { manifest } = scripted;
  const bare = { ...manifest, name: "bare", abilities: ["resume"], checkpoint: "none" } as const;
  const access = { ...manifest.access, levels: { full: "Everything." } };
  const matrix = capabilityMatrix([manifest, { ...bare, access }]);
  expect(matrix).toContain("| Compacts a session with its own command. | yes | – |");
  expect(matrix).toContain("| bare | refused | refused | Everything. |");
  expect(matrix).toContain("| Checkpoint | its own files | none |");
});
