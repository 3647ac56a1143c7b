import { describe, expect, test } from "vitest";
import type { LaunchRequest, ProviderAgent } from "../provider.ts";
import { bySettings } from "../test-access.ts";
import { accountOf } from "./account.ts";
import { command } from "./command.ts";
import { addressOf, checkSettings } from "./settings.ts";

const id = "11111111-1111-4111-8111-111111111111";
const agentWith = (
  settings: Record<string, string>,
  env: Record<string, string> = {},
): ProviderAgent => ({ name: "coder", settings, privateFolder: "/private", env });
const request = (agent: ProviderAgent, more: Partial<LaunchRequest> = {}): LaunchRequest => ({
  agent,
  binary: "/bridge.js",
  runtime: { product: "chat-completions", home: "/home", version: "1.0.0", abilities: [] },
  resume: null,
  newId: id,
  folder: "/work",
  model: null,
  access: bySettings,
  ...more,
});
const argv = (settings: Record<string, string>, more: Partial<LaunchRequest> = {}) =>
  command(request(agentWith(settings), more)).argv.slice(2);

describe("command", () => {
  test("a new conversation has our id, a resumed one its own and its place", () => {
    const address = "--base-url=https://api.openai.com/v1";
    expect(argv({})).toEqual(["--home=/home", `--session-id=${id}`, address]);
    const resume = { id: id.replace("1", "2"), place: "/elsewhere" };
    expect(argv({}, { resume, newId: null })).toEqual([
      "--home=/elsewhere",
      `--resume=${resume.id}`,
      address,
    ]);
  });

  test("the turn's model comes before that of the settings", () => {
    expect(argv({ model: "small" })).toContain("--model=small");
    expect(argv({ model: "small" }, { model: "large" })).toContain("--model=large");
  });

  test("settings and the schema of the answer", () => {
    const schema = { text: "{}", file: "/spool/schema" };
    expect(
      argv({ contextTokens: "9000", "param.temperature": "0.2" }, { schema }).slice(3),
    ).toEqual(["--context-tokens=9000", "--schema=/spool/schema", "--param=temperature=0.2"]);
    expect(argv({ schemas: "prompt" }, { schema })).toContain("--schema-in-prompt");
    expect(argv({ schemas: "prompt" })).not.toContain("--schema-in-prompt");
  });

  test("the key is in the environment alone", () => {
    const own = agentWith(
      { apiKey: "env:ROUTER_KEY" },
      { ROUTER_KEY: "sk-1", OPENAI_API_KEY: "sk-2" },
    );
    expect(command(request(own)).env).toEqual({ OPENAI_API_KEY: "sk-1" });
    expect(command(request(own)).argv.join(" ")).not.toContain("sk-");
    expect(command(request(agentWith({}))).env).toEqual({});
  });
});

describe("settings", () => {
  test("the address: the setting, else the environment, else OpenAI", () => {
    const env = { OPENAI_BASE_URL: "http://127.0.0.1:8080/v1/" };
    expect(addressOf(agentWith({}, env))).toBe("http://127.0.0.1:8080/v1");
    expect(addressOf(agentWith({ baseUrl: "https://models.example/v1" }, env))).toBe(
      "https://models.example/v1",
    );
    expect(addressOf(agentWith({}, { OPENAI_BASE_URL: "" }))).toBe("https://api.openai.com/v1");
  });

  test.each([
    { baseUrl: "https://user:hunter22@models.example/v1" },
    { baseUrl: "https://models.example/v1?key=hunter22" },
    { "param.stream": "false" },
    { "param.Bad-Name": "1" },
  ])("%j is refused, and a credential is not repeated", async (settings) => {
    const refused = checkSettings(agentWith(settings));
    await expect(refused).rejects.toMatchObject({ code: "bad-setting" });
    await expect(refused).rejects.not.toThrow("hunter22");
  });

  test("a bad OPENAI_BASE_URL is refused too", async () => {
    const agent = agentWith({}, { OPENAI_BASE_URL: "models.example" });
    await expect(checkSettings(agent)).rejects.toThrow("OPENAI_BASE_URL");
  });
});

describe("account", () => {
  const digest = (text: string) => `<${text}>`;
  const account = (settings: Record<string, string>, env: Record<string, string> = {}) =>
    accountOf(agentWith(settings, env), digest);

  test("the key with its address, and none without a key", () => {
    const env = { OPENAI_API_KEY: "sk-1" };
    expect(account({}, env)).toBe("key:<https://api.openai.com/v1\nsk-1>");
    expect(account({ baseUrl: "http://127.0.0.1/v1" }, env)).not.toBe(account({}, env));
    expect(account({})).toBeNull();
  });
});
