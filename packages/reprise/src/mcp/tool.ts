/** Defines a tool of the MCP server, and returns its results and errors to the model. */

import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import type { Reprise } from "@reprise/core/api/reprise";
import { isAllowed, type Role } from "@reprise/core/api/role";
import { errorView } from "@reprise/core/errors/errors";
import { renderHints } from "@reprise/core/errors/hint";
import type { z } from "zod";
import { asTools } from "./hint.ts";

/** Work that continues here after the tool has answered. */
interface ContinuedWork {
  do<Result>(work: (leave: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Releases everything, and waits until no work is in flight. */
  stop(): Promise<void>;
}

export interface McpContext {
  readonly reprise: Reprise;
  readonly work: ContinuedWork;
  /** The client's name, recorded with its answers, and its role. */
  readonly caller: { readonly name: string; readonly role: Role };
  /** Where relative paths start. */
  readonly cwd: string;
}

export interface ToolCall extends McpContext {
  /** The provider session that calls, where its program names it, as codex does. */
  readonly providerSession: string | null;
  /** Aborts when the client no longer waits for the result. */
  readonly signal: AbortSignal;
  /** Reports progress to the client that waits. */
  readonly report: (message: string) => void;
}

export interface Tool {
  readonly name: string;
  /** Whether a client with this role sees the tool. */
  isFor(role: Role): boolean;
  register(server: McpServer, context: McpContext): void;
}

interface ToolOf<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** The lowest role that has this tool. */
  readonly role: Role;
  /** Only exactly this role has the tool, so that an agent with a higher role does not get it by default. */
  readonly chosen?: boolean;
  /** It starts no program and removes nothing, so clients such as codex need not ask a person before each call. */
  readonly harmless?: boolean;
  readonly input: Input;
  readonly output: Output;
  readonly call: (call: ToolCall, input: z.output<Input>) => Promise<z.output<Output>>;
}

export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolOf<Input, Output>,
): Tool {
  const { name, title, about, role, chosen = false, harmless = false } = definition;
  const { input, output, call } = definition;
  return {
    name,
    isFor: (caller) => (chosen ? caller === role : isAllowed(caller, role)),
    register(server, context) {
      const config = {
        title,
        description: about,
        inputSchema: input as z.ZodObject,
        outputSchema: output as z.ZodObject,
        annotations: {
          readOnlyHint: role === "viewer",
          openWorldHint: role === "operator" && !harmless,
          ...(harmless && { destructiveHint: false }),
        },
      };
      server.registerTool(name, config, async (given, { mcpReq }) => {
        const token = mcpReq._meta?.progressToken;
        let progress = 0;
        const report = (message: string) => {
          if (token === undefined) return;
          progress += 1;
          const params = { progressToken: token, progress, message };
          mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
        };
        try {
          const thread = mcpReq._meta?.threadId;
          const providerSession = typeof thread === "string" ? thread : null;
          const whole = { ...context, providerSession, signal: mcpReq.signal, report };
          return resultOf(renderHints(await call(whole, given as z.output<Input>), asTools));
        } catch (error) {
          // Without structured content: clients would check it against the result's schema and lose the error.
          return {
            content: [text(renderHints({ error: errorView(error) }, asTools))],
            isError: true,
          };
        }
      });
    },
  };
}

/** One JSON document, so that all text of agents is in a named field. */
function resultOf(structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [text(structuredContent)], structuredContent };
}

function text(document: Record<string, unknown>): CallToolResult["content"][number] {
  return { type: "text", text: JSON.stringify(document, null, 1) };
}
