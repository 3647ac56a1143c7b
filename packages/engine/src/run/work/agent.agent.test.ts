/** Structured output with the real agents: their own way where they have one, and the prompt else. */

import { join } from "node:path";
import * as anthropic from "@reprise/providers/models/anthropic-messages";
import type { Answer } from "@reprise/providers/models/model";
import * as openai from "@reprise/providers/models/openai-responses";
import type { ModelServer } from "@reprise/providers/models/server";
import { beforeAll, describe, expect, test } from "vitest";
import { agentBinary, installAgents, leftOut } from "../../../../../test/agents/agents.ts";
import { claudeEnvironment } from "../../../../../test/agents/claude-home.ts";
import { codexKey, makeCodexHome } from "../../../../../test/agents/codex-home.ts";
import { runAgent } from "./agent.ts";
import { TestNode } from "./test-node.ts";

beforeAll(async () => {
  const problem = (await installAgents()).find((installed) => installed.problem !== null)?.problem;
  if (problem) throw new Error(problem);
});

const schema = {
  type: "object",
  properties: { verdict: { enum: ["good", "bad"] } },
  required: ["verdict"],
  additionalProperties: false,
};
/** Neither claude nor a strict schema knows it. */
const unusual = { ...schema, "x-unit": "none" };

interface Started extends AsyncDisposable {
  readonly node: TestNode;
  readonly server: ModelServer;
  readonly of: { readonly provider: string; readonly settings: Record<string, string> };
}

function started(node: TestNode, server: ModelServer, of: Started["of"]): Started {
  const end = async () => {
    await node[Symbol.asyncDispose]();
    await server.close();
  };
  return { node, server, of, [Symbol.asyncDispose]: end };
}

async function startClaude(): Promise<Started> {
  const server = await anthropic.startAnthropicServer();
  const node = await TestNode.open(claudeEnvironment(server));
  const settings = { home: join(node.root, "claude"), binary: agentBinary("claude") };
  return started(node, server, { provider: "claude", settings });
}

async function startCodex(): Promise<Started> {
  const server = await openai.startResponsesServer();
  const node = await TestNode.open({ [codexKey]: "key" });
  const home = join(node.root, "codex");
  await makeCodexHome(home, server);
  return started(node, server, {
    provider: "codex",
    settings: { home, binary: agentBinary("codex") },
  });
}

/** How the model of each gives the answer that its program asks for. */
const agents = {
  claude: {
    start: startClaude,
    says: (input: object): Answer => ({ tool: "StructuredOutput", input }),
  },
  codex: { start: startCodex, says: (input: object): Answer => ({ text: JSON.stringify(input) }) },
} as const;

for (const agent of ["claude", "codex"] as const)
  describe.skipIf(leftOut(agent) !== null)(agent, () => {
    const { start, says } = agents[agent];

    test("an answer in its own structured form is confirmed, and the session continues", async () => {
      await using started = await start();
      const { node, server, of } = started;
      server.answerWith(says({ verdict: "good" }), says({ verdict: "bad" }));
      const first = await runAgent(
        node.context(),
        node.work("Judge it.", { ...of, outputSchema: schema }),
      );
      expect(first).toMatchObject({
        type: "done",
        outcome: "blank",
        outputs: { structuredOutput: { verdict: "good" }, verdict: "good" },
      });
      const next = node.work(
        "Judge it again.",
        { ...of, outputSchema: schema },
        { how: "continue" },
      );
      const context = node.context();
      expect(await runAgent(context, next)).toMatchObject({
        type: "done",
        outcome: "resume",
        outputs: { verdict: "bad" },
      });
      expect(await node.engine.store.readTurn(context.turns[0]!)).toMatchObject({
        attempts: [{ ending: "confirmed", tools: false }],
      });
      expect(server.requests).toHaveLength(2);
      for (const { body, messages } of server.requests) {
        const sent =
          agent === "codex" ? body.text.format.schema : body.tools.find(isAnswerTool).input_schema;
        expect(sent).toEqual(schema);
        expect(messages.findLast(({ role }) => role === "user")?.text).not.toContain("JSON Schema");
      }
      const after = await runAgent(node.context(), node.work("echo on", of, { how: "continue" }));
      expect(after).toMatchObject({ outcome: "resume", outputs: { output: "on" } });
    });

    test("an answer that does not fit is asked for again in the same session", async () => {
      await using started = await start();
      const { node, server, of } = started;
      // Claude asks its model five times by itself before it gives up.
      const wrong = Array.from({ length: agent === "claude" ? 5 : 1 }, () =>
        says({ verdict: "fine" }),
      );
      server.answerWith(...wrong, says({ verdict: "good" }));
      const end = await runAgent(
        node.context(),
        node.work("Judge it.", { ...of, outputSchema: schema }),
      );
      expect(end).toMatchObject({ type: "done", outputs: { verdict: "good" } });
      expect(node.notes).toMatchObject([{ type: "node.asked" }]);
      const asked = server.requests.at(-1)!;
      expect(asked.messages.findLast(({ role }) => role === "user")?.text).toMatch(
        /verdict: .*"good"/,
      );
      expect(asked.messages.some(({ text }) => text === "Judge it.")).toBe(true);
    });

    test("a schema that it does not support is put in the prompt", async () => {
      await using started = await start();
      const { node, server, of } = started;
      server.answerWith({ text: 'Here:\n```json\n{"verdict": "good"}\n```' });
      const end = await runAgent(
        node.context(),
        node.work("Judge it.", { ...of, outputSchema: unusual }),
      );
      expect(end).toMatchObject({ type: "done", outputs: { verdict: "good" } });
      expect(server.requests).toHaveLength(1);
      const [{ messages, body }] = server.requests as [ModelServer["requests"][number]];
      expect(messages.findLast(({ role }) => role === "user")?.text).toContain(
        JSON.stringify(unusual),
      );
      expect(body.text?.format ?? body.tools?.find(isAnswerTool)).toBeUndefined();
    });
  });

function isAnswerTool({ name }: { readonly name?: string }): boolean {
  return name === "StructuredOutput";
}
