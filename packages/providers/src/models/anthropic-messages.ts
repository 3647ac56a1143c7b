/** The Anthropic Messages API, streaming and plain, as far as an agent needs it. */

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

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
  readonly cache_control?: unknown;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

interface Body {
  readonly stream?: boolean;
  readonly system?: string | readonly Block[];
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly Message[];
}

const anthropic: Protocol = { path: /\/messages(\?|$)/, read, refuse, stream, whole };

export function startAnthropicServer(options?: ModelServerOptions): Promise<ModelServer> {
  return serveModel(anthropic, options);
}

function read(body: unknown): Reading {
  const { stream = false, system, tools = [], messages } = body as Body;
  const blocks = [
    ...tools.map((tool) => tool as object),
    ...blocksOf(system ?? []),
    ...messages.flatMap(({ role, content }) => blocksOf(content).map((block) => ({ role, block }))),
  ];
  return {
    plain: !stream,
    messages: [
      ...blocksOf(system ?? []).map((block) => ({ role: "system" as const, text: words([block]) })),
      ...messages.flatMap(seen),
    ],
    tools: tools.map((tool) => tool.name),
    // This service's cache has no key: any common beginning is found.
    cacheKey: "",
    parts: blocks.map(withoutMarks),
  };
}

function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Without the cache marks, which move with every turn and are not part of the content. */
function withoutMarks(part: object): string {
  return JSON.stringify(part, (name, value) => (name === "cache_control" ? undefined : value));
}

/** The agent's program adds its own blocks to user messages. */
const ofTheProgram = /^\s*<system-reminder>|^Continue from where you left off\.$/;

function seen({ role, content }: Message): SeenMessage[] {
  const blocks = blocksOf(content);
  if (role === "assistant") return [{ role: "assistant", text: words(blocks) }];
  if (role !== "user") return [{ role: "system", text: words(blocks) }];
  const results = blocks.filter(({ type }) => type === "tool_result");
  const said = blocks.filter(({ type, text }) => type === "text" && !ofTheProgram.test(text ?? ""));
  return [
    ...results.map((block) => ({
      role: "tool" as const,
      text: words(blocksOf(block.content ?? "")),
    })),
    ...(said.length > 0 ? [{ role: "user" as const, text: words(said) }] : []),
  ];
}

function words(blocks: readonly Block[]): string {
  return blocks.map(({ text = "" }) => text).join("");
}

const refusals: Record<ModelRefusal, { status: number; type: string; message: string }> = {
  "bad-request": {
    status: 400,
    type: "invalid_request_error",
    message: "max_tokens: 1000000 > 64000, which is the maximum allowed number of output tokens",
  },
  "invalid-history": {
    status: 400,
    type: "invalid_request_error",
    message: "messages.1.content.0: Invalid `signature` in `thinking` block",
  },
  overflow: {
    status: 400,
    type: "invalid_request_error",
    message: "prompt is too long: 213462 tokens > 200000 maximum",
  },
  unauthorized: { status: 401, type: "authentication_error", message: "invalid x-api-key" },
  "rate-limit": {
    status: 429,
    type: "rate_limit_error",
    message: "This request would exceed your organization's rate limit.",
  },
  quota: {
    status: 429,
    type: "rate_limit_error",
    message: "This request would exceed your account's rate limit.",
  },
  "server-error": { status: 500, type: "api_error", message: "Internal server error" },
  overloaded: { status: 529, type: "overloaded_error", message: "Overloaded" },
};

function refuse(answer: Extract<Answer, { refuse: unknown }>): Reply {
  const { status, message, ...error } = refusals[answer.refuse];
  return {
    status,
    body: { type: "error", error: { ...error, message: answer.message ?? message } },
    ...(answer.refuse === "quota" && { headers: limitHeaders(answer.resetsAt) }),
  };
}

/** The headers that report to a subscriber that the limit of a period is used up. */
function limitHeaders(resetsAt = 0): Record<string, string> {
  return {
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": String(resetsAt),
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
  };
}

function* stream(answer: Streamed, _reading: Reading, usage: InputUsage): Iterable<StreamPart> {
  const content = contentOf(answer);
  const message = { ...envelope(), content: [], stop_reason: null, usage: usageOf(usage, 1) };
  yield event("message_start", { message });
  if (answer.held) yield "pause";

  for (const [index, block] of content.entries()) {
    const [empty, delta] = inParts(block);
    yield event("content_block_start", { index, content_block: empty });
    yield event("content_block_delta", { index, delta });
    while ("endless" in answer) {
      yield "breathe";
      yield event("content_block_delta", { index, delta });
    }
    if ("dropped" in answer) {
      yield "breathe";
      yield "drop";
    }
    yield event("content_block_stop", { index });
  }
  yield event("message_delta", {
    delta: { stop_reason: stopReason(content), stop_sequence: null },
    usage: usageOf(usage, tokens(JSON.stringify(content))),
  });
  yield event("message_stop", {});
}

function whole(answer: Streamed, _reading: Reading, usage: InputUsage): unknown {
  const content = contentOf(answer);
  return {
    ...envelope(),
    content,
    stop_reason: stopReason(content),
    usage: usageOf(usage, tokens(JSON.stringify(content))),
  };
}

let messages = 0;
function envelope() {
  messages += 1;
  const id = `msg_${messages}`;
  return { id, type: "message", role: "assistant", model: "test-model", stop_sequence: null };
}

/** The part of the input that was not in the cache is written to it. */
function usageOf({ input, cached }: InputUsage, output: number) {
  return {
    input_tokens: 0,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: input - cached,
    output_tokens: output,
  };
}

type Content =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    };

function contentOf(answer: Streamed): Content[] {
  if ("shell" in answer) return [call("Bash", { command: answer.shell, description: "a command" })];
  if ("tool" in answer) return [call(answer.tool, answer.input)];
  if ("calls" in answer) return answer.calls.map(({ tool, input }) => call(tool, input));
  const text =
    "text" in answer ? answer.text : "dropped" in answer ? answer.dropped : answer.endless;
  return [{ type: "text", text }];
}

let calls = 0;
function call(name: string, input: unknown): Content {
  calls += 1;
  return { type: "tool_use", id: `toolu_${String(calls).padStart(4, "0")}`, name, input };
}

/** The start of a block, and the rest of it. */
function inParts(block: Content): [begin: object, delta: object] {
  return block.type === "text"
    ? [
        { ...block, text: "" },
        { type: "text_delta", text: block.text },
      ]
    : [
        { ...block, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
      ];
}

function stopReason(content: readonly Content[]): string {
  return content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
}

function event(type: string, data: object): StreamPart {
  return { send: `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n` };
}
