import { expect, test } from "vitest";
import type { LaunchRequest } from "../provider.ts";
import { bySettings } from "../test-access.ts";
import { command } from "./command.ts";
import { escapePrompt } from "./prompt.ts";
import { usageIn } from "./usage.ts";

const request: LaunchRequest = {
  agent: {
    name: "coder",
    settings: { command: "agent acp --flag" },
    privateFolder: "/private",
    env: {},
  },
  binary: "/bin/agent",
  runtime: { product: "agent", home: "/private/acp", version: "1", abilities: [] },
  resume: null,
  newId: null,
  folder: "/work",
  model: null,
  access: bySettings,
};
const order = (more: Partial<LaunchRequest>) =>
  JSON.parse(command({ ...request, ...more }).argv[2]!);

test("the order says which session, where, and what it may do; the agent's command follows", () => {
  const { argv } = command(request);
  expect(argv[0]).toBe(process.execPath);
  expect(argv[1]).toMatch(/turn\.ts$/);
  expect(argv.slice(3)).toEqual(["/bin/agent", "acp", "--flag"]);
  expect(order({})).toEqual({
    place: "/private/acp",
    resume: null,
    folder: "/work",
    model: null,
    login: null,
    access: "full",
    allowedCommands: [],
    hidden: [],
  });
  const access = { ...bySettings, level: "edit" as const, allowedCommands: ["ls"], hidden: ["/h"] };
  const resume = { id: "ses_1", place: "/elsewhere" };
  expect(order({ access, resume, model: "m" })).toMatchObject({
    place: "/elsewhere",
    resume: "ses_1",
    model: "m",
    access: "edit",
    allowedCommands: ["ls"],
    hidden: ["/h"],
  });
});

test.each(["../up", "a/b", "", "-x", "a b", "a\nb"])("the id %j is never launched", (id) => {
  expect(() => command({ ...request, resume: { id, place: "/p" } })).toThrow(
    /cannot be resumed|can be resumed/,
  );
});

test.each([
  ["/clear", "\\/clear"],
  ["  /clear", "  \\/clear"],
  ["\n/clear", "\n\\/clear"],
  ["see /etc", "see /etc"],
  ["@a", "@a"],
])("the prompt %j is sent as %j", (prompt, sent) => {
  expect(escapePrompt(prompt)).toBe(sent);
});

test("usage is taken as agents report it", () => {
  expect(
    usageIn({ usage: { inputTokens: 1, cachedReadTokens: 2, outputTokens: 4, thoughtTokens: 8 } }),
  ).toEqual({ uncached: 1, cachedRead: 2, cachedWrite: null, output: 12 });
  // gemini 0.61
  const _meta = { quota: { token_count: { input_tokens: 11801, output_tokens: 10 } } };
  expect(usageIn({ stopReason: "end_turn", _meta })).toEqual({
    uncached: 11801,
    cachedRead: null,
    cachedWrite: null,
    output: 10,
  });
  expect(usageIn({ stopReason: "end_turn", usage: null })).toBeNull();
});
