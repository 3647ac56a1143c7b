/** The OpenAI Chat Completions API, streaming and plain, as far as an agent needs it. */

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

interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
}

interface Body {
  readonly model?: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[];
  readonly stream?: boolean;
  readonly prompt_cache_key?: string;
}

const chat: Protocol = { path: /\/chat\/completions(\?|$)/, read, refuse, stream, whole };

export function startChatServer(options?: ModelServerOptions): Promise<ModelServer> {
  return serveModel(chat, options);
}

function read(body: unknown): Reading {
  const { messages, tools = [], stream = false, prompt_cache_key } = body as Body;
  return {
    plain: !stream,
    messages: messages.map(seen),
    tools: tools.map((tool) => tool.function?.name ?? ""),
    cacheKey: prompt_cache_key ?? "",
    parts: [JSON.stringify(tools), ...messages.map((message) => JSON.stringify(message))],
  };
}

function seen({ role, content }: ChatMessage): SeenMessage {
  const text =
    typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
  return {
    role: role === "user" || role === "assistant" || role === "tool" ? role : "system",
    text,
  };
}

const refusals: Record<
  ModelRefusal,
  { status: number; type: string; code: string | null; param?: string; message: string }
> = {
  "bad-request": {
    status: 400,
    type: "invalid_request_error",
    code: "invalid_value",
    param: "temperature",
    message: "Invalid 'temperature': decimal above maximum value.",
  },
  "invalid-history": {
    status: 400,
    type: "invalid_request_error",
    code: null,
    param: "messages.[1].content",
    message: "Invalid value for 'content': expected a string, got null.",
  },
  overflow: {
    status: 400,
    type: "invalid_request_error",
    code: "context_length_exceeded",
    param: "messages",
    message:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens.",
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
    message: "Rate limit reached for requests. Please try again in 20s.",
  },
  quota: {
    status: 429,
    type: "insufficient_quota",
    code: "insufficient_quota",
    message: "You exceeded your current quota, please check your plan and billing details.",
  },
  "server-error": {
    status: 500,
    type: "server_error",
    code: null,
    message: "The server had an error while processing your request.",
  },
  overloaded: {
    status: 503,
    type: "server_error",
    code: null,
    message: "The engine is currently overloaded, please try again later.",
  },
};

function refuse(answer: Extract<Answer, { refuse: unknown }>): Reply {
  const { status, message, param = null, ...error } = refusals[answer.refuse];
  return {
    status,
    body: { error: { ...error, message: answer.message ?? message, param } },
    ...(answer.resetsAt && {
      headers: { "retry-after": new Date(answer.resetsAt * 1000).toUTCString() },
    }),
  };
}

function* stream(answer: Streamed, reading: Reading, usage: InputUsage): Iterable<StreamPart> {
  const message = messageOf(answer, reading);
  const begun = envelope("chat.completion.chunk");
  yield chunk(begun, { role: "assistant", content: "" });
  if (answer.held) yield "pause";
  const delta =
    message.tool_calls === undefined
      ? { content: message.content }
      : { tool_calls: message.tool_calls.map((call, index) => ({ index, ...call })) };
  yield chunk(begun, delta);
  while ("endless" in answer) {
    yield "breathe";
    yield chunk(begun, delta);
  }
  if ("dropped" in answer) {
    yield "breathe";
    yield "drop";
  }
  yield chunk(begun, {}, finishReason(message));
  yield data({ ...begun, choices: [], usage: usageOf(usage, message) });
  yield { send: "data: [DONE]\n\n" };
}

function whole(answer: Streamed, reading: Reading, usage: InputUsage): unknown {
  const message = messageOf(answer, reading);
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(message) };
  return { ...envelope("chat.completion"), choices: [choice], usage: usageOf(usage, message) };
}

let answers = 0;

function envelope(object: string) {
  answers += 1;
  return { id: `chatcmpl-${answers}`, object, created: 1_700_000_000, model: "test-model" };
}

interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
}

function messageOf(answer: Streamed, { tools }: Reading): AssistantMessage {
  if ("shell" in answer) return calling([shellCall(answer.shell, tools)]);
  if ("tool" in answer) return calling([call(answer.tool, answer.input)]);
  if ("calls" in answer) return calling(answer.calls.map(({ tool, input }) => call(tool, input)));
  const content =
    "text" in answer ? answer.text : "dropped" in answer ? answer.dropped : answer.endless;
  return { role: "assistant", content };
}

function calling(tool_calls: readonly ToolCall[]): AssistantMessage {
  return { role: "assistant", content: null, tool_calls };
}

/** Opencode's own tool for commands wants a description of each. */
function shellCall(command: string, tools: readonly string[]): ToolCall {
  return tools.includes("bash")
    ? call("bash", { command, description: "Runs it" })
    : call("shell", { command });
}

let calls = 0;

function call(name: string, input: unknown): ToolCall {
  calls += 1;
  const id = `call_${String(calls).padStart(4, "0")}`;
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

function finishReason({ tool_calls }: AssistantMessage): string {
  return tool_calls === undefined ? "stop" : "tool_calls";
}

function usageOf({ input, cached }: InputUsage, message: AssistantMessage) {
  const written = tokens(JSON.stringify(message));
  return {
    prompt_tokens: input,
    completion_tokens: written,
    total_tokens: input + written,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

function chunk(begun: object, delta: object, finish_reason: string | null = null): StreamPart {
  return data({ ...begun, choices: [{ index: 0, delta, finish_reason }], usage: null });
}

function data(event: object): StreamPart {
  return { send: `data: ${JSON.stringify(event)}\n\n` };
}
