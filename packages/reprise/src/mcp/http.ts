/** The MCP server over streamable HTTP, one request at a time: nothing is kept between two of them. */

import { createMcpHandler } from "@modelcontextprotocol/server";
import { createMcpServer } from "./mcp-server.ts";
import type { McpContext } from "./tool.ts";

export function answerMcp(
  context: McpContext,
  request: Request,
  { maxBody }: { readonly maxBody: number },
): Promise<Response> {
  const handler = createMcpHandler(() => createMcpServer(context), { maxRequestBodySize: maxBody });
  return handler.fetch(request);
}
