/**
 * Runs the remembering model by hand, for an agent that has no account:
 * `node test/models/serve.ts --port 8080`, then point the agent at the address that it prints.
 */

import { parseArgs } from "node:util";
import { startModelServer } from "./openai-responses.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "0" } } });

const server = await startModelServer({
  port: Number(values.port),
  onRequest({ number, messages }) {
    const last = JSON.stringify(messages.at(-1)?.text.slice(0, 100));
    console.error(`#${number}: ${messages.length} messages, the last is ${last}`);
  },
});
console.log(`${server.url}/v1`);
