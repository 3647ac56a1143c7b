/** The MCP server over streamable HTTP. It is stateless: nothing is kept between requests. */

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
