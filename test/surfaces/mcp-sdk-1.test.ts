/** The MCP server with the client of SDK 1.x, which checks every structured result against the tool's output schema. */

import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Served, serve, token } from "./served.ts";

const require = createRequire(import.meta.url);
const { Client } = await import(require.resolve("@modelcontextprotocol/sdk/client/index.js"));
const { StdioClientTransport } = await import(
  require.resolve("@modelcontextprotocol/sdk/client/stdio.js")
);
const { StreamableHTTPClientTransport } = await import(
  require.resolve("@modelcontextprotocol/sdk/client/streamableHttp.js")
);
const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));

interface Tool {
  readonly name: string;
  readonly outputSchema?: object;
}

let folder: string;
let server: Served | null;
let client: InstanceType<typeof Client>;

beforeEach(() => {
  server = null;
  folder = temporaryFolder("mcp-1");
  client = new Client({ name: "test", version: "1" });
});

afterEach(async () => {
  await client.close();
  await server?.close();
  rmSync(folder, { recursive: true });
});

const transports = {
  async stdio() {
    const args = [program, "mcp", "--home", join(folder, "home")];
    return new StdioClientTransport({ command: process.execPath, args, cwd: folder });
  },
  async http() {
    server = await serve({ home: join(folder, "home"), cwd: folder });
    const headers = { authorization: `Bearer ${token}` };
    const url = new URL(`${server.url}/mcp`);
    return new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  },
};

/** What fails in an empty home, and the code of its error. */
const calls: [tool: string, input: object, code: string][] = [
  ["continue_session", { key: "k", prompt: "hello" }, "no-agent-named"],
  ["finish_session", { key: "k" }, "no-session"],
  ["get_turn", { turn: "t" }, "no-turn"],
  ["cancel_turn", { turn: "t" }, "no-turn"],
  ["explain_session", { key: "k" }, "no-agent-named"],
  ["fork_session", { key: "k", newKey: "k2" }, "no-session"],
  ["validate_workflow", {}, "bad-input"],
  ["run_workflow", { source: "name: w" }, "bad-workflow"],
  ["get_run", { run: "r" }, "no-run"],
  ["rerun_workflow", { run: "r" }, "no-run"],
  ["cancel_run", { run: "r" }, "no-run"],
  ["read_artifact", { run: "r", name: "n" }, "no-run"],
];

test.each(["stdio", "http"] as const)(
  "V11: over %s the client of SDK 1.x gets every tool's error",
  async (transport) => {
    await client.connect(await transports[transport]());
    const { tools } = await client.listTools();
    const schemas = new Map(tools.map((tool: Tool) => [tool.name, tool.outputSchema]));
    for (const [name, input, code] of calls) {
      // Without an output schema there is nothing that the client could lose the error to.
      expect(schemas.get(name), name).toBeDefined();
      const result = await client.callTool({ name, arguments: input });
      const { error } = JSON.parse(result.content[0].text);
      expect([name, result.isError, error]).toMatchObject([
        name,
        true,
        { code, message: expect.any(String), hint: expect.any(String) },
      ]);
    }
    expect((await client.callTool({ name: "list_sessions" })).structuredContent).toBeDefined();
  },
);
