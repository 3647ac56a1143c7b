/** The MCP server over standard input and output, until the client closes the input. */

import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { createMcpServer } from "./mcp-server.ts";
import type { McpContext } from "./tool.ts";

/** A prompt may have 8 MiB, and twice as much as JSON. */
const longestMessage = 24 * 1024 * 1024;

export async function mcpOverStdio(
  context: McpContext,
  { stdin, stdout, signal }: { stdin: Readable; stdout: Writable; signal: AbortSignal },
): Promise<void> {
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: longestMessage });
  const handle = serveStdio(() => createMcpServer(context), { transport });
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const closed = transport.onclose;
  transport.onclose = () => {
    closed?.();
    resolve();
  };
  signal.addEventListener("abort", () => resolve(), { once: true });
  await over;
  await handle.close();
  await context.work.stop();
}
