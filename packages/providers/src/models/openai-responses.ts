/** The OpenAI Responses API, streaming, as far as an agent needs it. */

import type { Answer, InputUsage, ModelRefusal, SeenMessage } from "./model.ts";
import { tokens } from "./model.ts";
import {
  type ModelServer,
  type ModelServerOptions,
  type Protocol,
  type Reading,
  type Reply,
  type Streamed,
  type StreamPart,
  serveModel,
} from "./server.ts";

interface InputItem {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly { readonly text?: string }[];
  readonly output?: unknown;
}

interface Body {
  readonly instructions?: string;
  readonly input: string | readonly InputItem[];
  readonly tools?: readonly { readonly type: string; readonly name?: string }[];
  readonly prompt_cache_key?: string;
}

const responses: Protocol = { path: /\/responses$/, read, refuse, stream };

export function startResponsesServer(options?: ModelServerOptions): Promise<ModelServer> {
  return serveModel(responses, options);
}

function read(body: unknown): Reading {
  const { instructions, input, tools = [], prompt_cache_key } = body as Body;
  const items = typeof input === "string" ? [{ role: "user", content: input }] : input;
  return {
    messages: items.flatMap(seen),
    tools: tools.map((tool) => tool.name ?? tool.type),
    cacheKey: prompt_cache_key ?? "",
    parts: [
      instructions ?? "",
      JSON.stringify(tools),
      ...items.map((item) => JSON.stringify(item)),
    ],
  };
}

/** Codex opens a conversation with user messages of its own: a tagged block, or the rules of a folder. */
const ofTheProgram = /^(<[a-z_]+>|# AGENTS\.md instructions|These AGENTS\.md instructions)/;

function seen(item: InputItem): SeenMessage[] {
  if (item.output !== undefined)
    return [
      { role: "tool", text: typeof item.output === "string" ? item.output : words(item.output) },
    ];
  const text = typeof item.content === "string" ? item.content : words(item.content ?? []);
  if (item.role === "assistant") return [{ role: "assistant", text }];
  if (item.role === "user") return ofTheProgram.test(text) ? [] : [{ role: "user", text }];
  return item.role ? [{ role: "system", text }] : [];
}

function words(parts: unknown): string {
  if (!Array.isArray(parts)) return JSON.stringify(parts);
  return parts.map((part: { text?: string }) => part.text ?? "").join("");
}

const refusals: Record<
  ModelRefusal,
  { status: number; type: string; code: string; message: string }
> = {
  "bad-request": {
    status: 400,
    type: "invalid_request_error",
    code: "invalid_value",
    message: "Invalid value: 'none'.",
  },
  "invalid-history": {
    status: 400,
    type: "invalid_request_error",
    code: "invalid_encrypted_content",
    message: "The encrypted content gAAA...bAAA could not be verified.",
  },
  overflow: {
    status: 400,
    type: "invalid_request_error",
    code: "context_length_exceeded",
    message: "Your input exceeds the context window of this model. Please adjust your input.",
  },
  unauthorized: {
    status: 401,
    type: "invalid_request_error",
    code: "invalid_api_key",
    message: "Incorrect API key provided.",
  },
  "rate-limit": {
    status: 429,
    type: "requests",
    code: "rate_limit_exceeded",
    message: "Rate limit reached. Please try again in 20s.",
  },
  quota: {
    status: 429,
    type: "usage_limit_reached",
    code: "usage_limit_reached",
    message: "The usage limit has been reached.",
  },
  "server-error": {
    status: 500,
    type: "server_error",
    code: "server_error",
    message: "The server had an error while processing your request.",
  },
  overloaded: {
    status: 503,
    type: "server_is_overloaded",
    code: "server_is_overloaded",
    message: "Our servers are currently overloaded. Please try again later.",
  },
};

function refuse(answer: Extract<Answer, { refuse: unknown }>): Reply {
  const { status, message, ...error } = refusals[answer.refuse];
  const resets = answer.resetsAt && { plan_type: "plus", resets_at: answer.resetsAt };
  return {
    status,
    body: { error: { ...error, message: answer.message ?? message, param: null, ...resets } },
  };
}

function* stream(answer: Streamed, reading: Reading, usage: InputUsage): Iterable<StreamPart> {
  const id = "resp_1";
  const output = outputItems(answer, reading);
  yield event("response.created", { response: { id } });
  if (answer.held) yield "pause";

  for (const [output_index, item] of output.entries()) {
    if (item.type === "message") {
      const { text } = item.content[0];
      yield event("response.output_item.added", { output_index, item: { ...item, content: [] } });
      const delta = { item_id: item.id, output_index, delta: text };
      yield event("response.output_text.delta", delta);
      while ("endless" in answer) {
        yield "breathe";
        yield event("response.output_text.delta", delta);
      }
      if ("dropped" in answer) {
        yield "breathe";
        yield "drop";
      }
    }
    yield event("response.output_item.done", { output_index, item });
  }
  const written = tokens(JSON.stringify(output));
  yield event("response.completed", {
    response: {
      id,
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cached },
        output_tokens: written,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: usage.input + written,
      },
    },
  });
}

function outputItems(answer: Streamed, { tools }: Reading) {
  if ("shell" in answer) return [call(...shellCall(answer.shell, tools), tools)];
  if ("tool" in answer) return [call(answer.tool, answer.input, tools)];
  if ("calls" in answer) return answer.calls.map(({ tool, input }) => call(tool, input, tools));
  const text =
    "text" in answer ? answer.text : "dropped" in answer ? answer.dropped : answer.endless;
  return [
    {
      type: "message" as const,
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text }] as const,
    },
  ];
}

let calls = 0;
/** A tool of an MCP server is in a namespace: `mcp__SERVER__TOOL` is TOOL of `mcp__SERVER`. */
function call(tool: string, input: unknown, tools: readonly string[]) {
  calls += 1;
  const namespace = tools.find((name) => tool.startsWith(`${name}__`));
  return {
    type: "function_call" as const,
    id: `fc_${calls}`,
    call_id: `call_${calls}`,
    name: namespace === undefined ? tool : tool.slice(namespace.length + 2),
    ...(namespace !== undefined && { namespace }),
    arguments: JSON.stringify(input),
  };
}

/** The shell tool of codex has had several names. */
function shellCall(command: string, tools: readonly string[]): [string, unknown] {
  if (tools.includes("exec_command")) return ["exec_command", { cmd: command }];
  if (tools.includes("shell_command")) return ["shell_command", { command }];
  return ["shell", { command: ["sh", "-c", command] }];
}

function event(type: string, data: object): StreamPart {
  return { send: `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n` };
}
