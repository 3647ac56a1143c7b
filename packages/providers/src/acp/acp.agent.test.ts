/** Real agents that speak the Agent Client Protocol, against model servers on loopback: Gemini CLI, and OpenCode where it is installed. */

import { existsSync, globSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agentBinary, agentModules } from "../../../../test/agents/agents.ts";
import { geminiEnvironment } from "../../../../test/agents/gemini-home.ts";
import {
  type AgentTurn,
  failure,
  RealProvider,
  realProvider,
} from "../../../../test/agents/real-provider.ts";
import { until } from "../../../../test/until.ts";
import { withMark } from "../launch/process.ts";
import { startGeminiServer } from "../models/gemini-content.ts";
import { startChatServer } from "../models/openai-chat.ts";
import { acp } from "./provider.ts";

const recall = "what did I ask you to remember?";
const unknown = "11111111-1111-4111-8111-111111111111";
const denied = ({ events }: AgentTurn) =>
  events.flatMap((event) => (event.type === "denied" ? [event.detail] : []));
const texts = ({ events }: AgentTurn) =>
  events.flatMap((event) => (event.type === "text" ? [event.text] : []));

describe("gemini --acp", () => {
  const real = realProvider(acp, {
    agent: "gemini",
    startModelServer: startGeminiServer,
    settings: () => ({
      command: JSON.stringify([agentBinary("gemini"), "--acp"]),
      login: "gemini-api-key",
    }),
    async makeHome(home) {
      const settings = {
        security: { auth: { selectedType: "gemini-api-key" } },
        model: { name: "gemini-2.5-flash" },
        general: { maxAttempts: 1, enableAutoUpdate: false, sessionRetention: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
      };
      mkdirSync(join(home, ".gemini"), { recursive: true });
      writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
    },
    env: (server, home) => ({
      ...geminiEnvironment(server),
      GEMINI_CLI_HOME: home,
      GEMINI_CLI_NO_RELAUNCH: "true",
    }),
  });
  /** Gemini empties a session that it loads in the minute of its file's name. */
  const leaveItsMinute = (id: string) => {
    for (const file of globSync(`.gemini/tmp/*/chats/*${id.slice(0, 8)}*`, { cwd: real.home })) {
      const path = join(real.home, file);
      renameSync(path, join(dirname(path), `session-2000-01-01T00-00-${id.slice(0, 8)}.jsonl`));
      expect(basename(path)).toMatch(/^session-/);
    }
  };

  test("is found by what it answers to initialize", () => {
    expect(real.found.runtime).toEqual({
      product: "gemini-cli",
      version: "0.61.0",
      home: join(real.agent.privateFolder, "acp"),
      abilities: ["resume", "model-on-resume"],
    });
  });

  test("continues a session with its history, and its late replay is not output", async () => {
    const first = await real.turn("remember APPLE-739");
    expect(first).toMatchObject({ code: 0, answer: "I will remember APPLE-739." });
    leaveItsMinute(first.id!);
    const second = await real.turn(recall, first.id);
    expect(second).toMatchObject({ code: 0, id: first.id, answer: "APPLE-739" });
    expect(texts(second)).toEqual(["APPLE-739"]);
    expect(real.sent()).toContain("remember APPLE-739");
    expect(second.events).toContainEqual({
      type: "usage",
      usage: {
        cachedRead: null,
        cachedWrite: null,
        uncached: expect.any(Number),
        output: expect.any(Number),
      },
    });
  });

  test("a session that it does not know is missing, and nothing is sent", async () => {
    expect(failure(await real.turn(recall, unknown))).toMatchObject({ kind: "missing" });
    expect(real.server.requests).toEqual([]);
  });

  test("a command at the beginning of a prompt is text, after a space, too", async () => {
    for (const prompt of ["/help", " /help", "@note.txt hello"]) {
      await real.turn(prompt);
      expect(real.sent().at(-1)?.trim()).toBe(prompt.trim().replace(/^\//, "\\/"));
    }
  });

  test("what it asks for is answered by the access", async () => {
    const prompt = "run touch made";
    const refused = await real.turn(prompt, null, { access: { level: "read" } });
    expect(denied(refused)).toEqual(["touch made"]);
    expect(existsSync(join(real.work, "made"))).toBe(false);
    const allowed = await real.turn(prompt, null, { access: { level: "full" } });
    expect(denied(allowed)).toEqual([]);
    expect(existsSync(join(real.work, "made"))).toBe(true);
  });

  test("a service that refuses is classified", async () => {
    const kinds: (string | undefined)[] = [];
    for (const refuse of ["rate-limit", "overflow", "unauthorized"] as const) {
      real.server.answerWith(() => ({ refuse }));
      kinds.push(failure(await real.turn("hello"))?.kind);
    }
    expect(kinds).toEqual(["transient", "poisoned", "login"]);
  });

  test("ends with its bridge, and a cancelled turn leaves no process", async () => {
    real.server.answerWith(() => ({ text: "late", held: true }));
    const turn = "acp-cancelled-turn";
    const { child, ended } = real.launch({
      resume: null,
      newId: null,
      env: { REPRISE_TURN: turn },
    });
    child.stdin.end("hello");
    await until(() => real.server.requests.length > 0);
    expect(withMark(turn).length).toBeGreaterThanOrEqual(2);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(143);
    await until(() => withMark(turn).length === 0);
  });
});

const opencode = join(agentModules, "opencode-linux-x64", "bin", "opencode");

describe.skipIf(!existsSync(opencode))("opencode acp", () => {
  const real = new RealProvider(acp, {
    startModelServer: startChatServer,
    settings: () => ({ command: `${opencode} acp` }),
    env: (server, home) => ({
      XDG_DATA_HOME: join(home, "data"),
      XDG_CONFIG_HOME: join(home, "config"),
      XDG_STATE_HOME: join(home, "state"),
      XDG_CACHE_HOME: join(home, "cache"),
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        model: "test/small",
        small_model: "test/small",
        permission: { bash: "ask", edit: "ask" },
        provider: {
          test: {
            npm: "@ai-sdk/openai-compatible",
            name: "Test",
            options: { baseURL: `${server.url}/v1`, apiKey: "any" },
            models: { small: { name: "Small" }, large: { name: "Large" } },
          },
        },
      }),
    }),
  });
  beforeEach(() => real.open());
  afterEach(() => real.close());

  test("continues a session with its history, and with another model", async () => {
    expect(real.found.runtime).toMatchObject({
      product: "OpenCode",
      abilities: ["resume", "model-on-resume"],
    });
    const first = await real.turn("remember APPLE-739");
    expect(first).toMatchObject({ code: 0, answer: "I will remember APPLE-739." });
    expect(first.id).toMatch(/^ses_/);
    const second = await real.turn(recall, first.id, { model: "test/large" });
    expect(second).toMatchObject({ code: 0, id: first.id, answer: "APPLE-739" });
    expect(real.server.requests.at(-1)?.body.model).toBe("large");
    expect(failure(await real.turn(recall, "ses_unknown"))).toMatchObject({ kind: "missing" });
  });

  test("a command at the beginning of a prompt is text, and tools are answered by the access", async () => {
    await real.turn("/compact");
    expect(real.sent().at(-1)).toBe("\\/compact");
    const asks = () =>
      real.server.answerWith(({ messages }) =>
        messages.at(-1)?.role === "tool"
          ? { text: "done" }
          : { tool: "bash", input: { command: "touch made", description: "a file" } },
      );
    asks();
    const refused = await real.turn("do it", null, { access: { level: "read" } });
    expect(denied(refused)).toEqual(["touch made"]);
    expect(existsSync(join(real.work, "made"))).toBe(false);
    asks();
    const access = { level: "edit", allowedCommands: ["touch made"] } as const;
    await real.turn("do it", null, { access });
    expect(existsSync(join(real.work, "made"))).toBe(true);
  });
});
