/**
 * Runs the remembering model by hand, for an agent that has no account:
 * `node test/models/serve.ts --port 8080 [--protocol anthropic | chat | gemini]`, then point the agent at the address
 * that it prints.
 */

import { parseArgs } from "node:util";
import { startAnthropicServer } from "@reprise/providers/models/anthropic-messages";
import { startGeminiServer } from "@reprise/providers/models/gemini-content";
import { startChatServer } from "@reprise/providers/models/openai-chat";
import { startResponsesServer } from "@reprise/providers/models/openai-responses";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    protocol: { type: "string", default: "openai" },
  },
});

const protocols = {
  anthropic: [startAnthropicServer, ""],
  chat: [startChatServer, "/v1"],
  gemini: [startGeminiServer, ""],
  openai: [startResponsesServer, "/v1"],
} as const;
const [start, path] = protocols[values.protocol as keyof typeof protocols] ?? protocols.openai;
const server = await start({
  port: Number(values.port),
  onRequest({ number, messages }) {
    const last = JSON.stringify(messages.at(-1)?.text.slice(0, 100));
    console.error(`#${number}: ${messages.length} messages, the last is ${last}`);
  },
});
console.log(`${server.url}${path}`);
