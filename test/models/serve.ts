/**
 * Runs the remembering model by hand, for an agent that has no account:
 * `node test/models/serve.ts --port 8080 [--protocol anthropic | chat]`, then point the agent at the address
 * that it prints.
 */

import { parseArgs } from "node:util";
import * as anthropic from "@reprise/providers/models/anthropic-messages";
import * as chat from "@reprise/providers/models/openai-chat";
import * as openai from "@reprise/providers/models/openai-responses";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    protocol: { type: "string", default: "openai" },
  },
});

const services = {
  anthropic: [anthropic.startAnthropicServer, ""],
  chat: [chat.startChatServer, "/v1"],
  openai: [openai.startResponsesServer, "/v1"],
} as const;
const [start, path] = services[values.protocol as keyof typeof services] ?? services.openai;
const server = await start({
  port: Number(values.port),
  onRequest({ number, messages }) {
    const last = JSON.stringify(messages.at(-1)?.text.slice(0, 100));
    console.error(`#${number}: ${messages.length} messages, the last is ${last}`);
  },
});
console.log(`${server.url}${path}`);
