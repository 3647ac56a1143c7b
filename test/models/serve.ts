/**
 * Runs the remembering model by hand, for an agent that has no account:
 * `node test/models/serve.ts --port 8080 [--protocol anthropic]`, then point the agent at the address
 * that it prints.
 */

import { parseArgs } from "node:util";
import * as anthropic from "@reprise/providers/models/anthropic-messages";
import * as openai from "@reprise/providers/models/openai-responses";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    protocol: { type: "string", default: "openai" },
  },
});

const [start, path] =
  values.protocol === "anthropic"
    ? [anthropic.startAnthropicServer, ""]
    : [openai.startResponsesServer, "/v1"];
const server = await start({
  port: Number(values.port),
  onRequest({ number, messages }) {
    const last = JSON.stringify(messages.at(-1)?.text.slice(0, 100));
    console.error(`#${number}: ${messages.length} messages, the last is ${last}`);
  },
});
console.log(`${server.url}${path}`);
