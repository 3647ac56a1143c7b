/** The Gemini API (`generateContent`), streaming and plain, as far as an agent needs it. */

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

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: unknown;
  readonly functionResponse?: { readonly response?: Response };
}

type Response = Readonly<Record<string, unknown>>;

interface Content {
  readonly role?: string;
  readonly parts?: readonly Part[];
}

interface Body {
  readonly contents: readonly Content[];
  readonly systemInstruction?: Content;
  readonly tools?: readonly {
    readonly functionDeclarations?: readonly { readonly name: string }[];
  }[];
}

const gemini: Protocol = {
  path: /\/models\/[^/]+:(streamGenerateContent|generateContent)(\?|$)/,
  read,
  refuse,
  stream,
  whole,
};

export function startGeminiServer(options?: ModelServerOptions): Promise<ModelServer> {
  return serveModel(gemini, options);
}

function read(body: unknown, path: string): Reading {
  const { contents, systemInstruction, tools = [] } = body as Body;
  const system = words(systemInstruction?.parts ?? []);
  return {
    plain: !path.includes(":streamGenerateContent"),
    messages: [
      ...(system === "" ? [] : [{ role: "system" as const, text: system }]),
      ...contents.flatMap(seen),
    ],
    tools: tools.flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name }) => name),
    ),
    // This service's cache has no key: any common beginning is found.
    cacheKey: "",
    parts: [system, JSON.stringify(tools), ...contents.map((content) => JSON.stringify(content))],
  };
}

/** The agent's program opens a conversation with a description of its surroundings. */
const ofTheProgram = /^\s*<(session|hook)_context>/;

/** Several messages of one role in a row come as the parts of one content. */
function seen({ role, parts = [] }: Content): SeenMessage[] {
  if (role === "model")
    return [{ role: "assistant", text: words(parts.filter(({ thought }) => !thought)) }];
  const results = parts.flatMap(({ functionResponse }): Response[] =>
    functionResponse?.response ? [functionResponse.response] : [],
  );
  const said = parts.filter(({ text }) => text !== undefined && !ofTheProgram.test(text));
  return [
    ...results.map((response) => ({
      role: "tool" as const,
      text: outputOf(String(response.output ?? response.error ?? JSON.stringify(response))),
    })),
    ...(said.length > 0 ? [{ role: "user" as const, text: words(said) }] : []),
  ];
}

/** What a command printed, without the agent's own words around it. */
function outputOf(result: string): string {
  const [, output] =
    /^<untrusted_context>\nOutput: (.*?)(\n(Error|Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*)*\n<\/untrusted_context>$/s.exec(
      result,
    ) ?? [];
  return output ?? result;
}

function words(parts: readonly Part[]): string {
  return parts.map(({ text = "" }) => text).join("");
}

const refusals: Record<ModelRefusal, { code: number; status: string; message: string }> = {
  "bad-request": {
    code: 400,
    status: "INVALID_ARGUMENT",
    message: "Invalid value at 'generation_config.top_k' (TYPE_INT32)",
  },
  "invalid-history": {
    code: 400,
    status: "INVALID_ARGUMENT",
    message:
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
  },
  overflow: {
    code: 400,
    status: "INVALID_ARGUMENT",
    message:
      "The input token count (1213462) exceeds the maximum number of tokens allowed (1048576).",
  },
  unauthorized: {
    code: 401,
    status: "UNAUTHENTICATED",
    message: "Request had invalid authentication credentials.",
  },
  "rate-limit": {
    code: 429,
    status: "RESOURCE_EXHAUSTED",
    message: "Resource has been exhausted (e.g. check quota).",
  },
  quota: {
    code: 429,
    status: "RESOURCE_EXHAUSTED",
    message: "You exceeded your current quota, please check your plan and billing details.",
  },
  "server-error": { code: 500, status: "INTERNAL", message: "An internal error has occurred." },
  overloaded: {
    code: 503,
    status: "UNAVAILABLE",
    message: "The model is overloaded. Please try again later.",
  },
};

function refuse(answer: Extract<Answer, { refuse: unknown }>): Reply {
  const { code, status, message } = refusals[answer.refuse];
  const details = answer.refuse === "quota" ? limitDetails(answer.resetsAt) : undefined;
  return {
    status: code,
    body: {
      error: { code, message: answer.message ?? message, status, ...(details && { details }) },
    },
  };
}

/** A limit for the day, or one that says when it is reset: gemini reports no time for the former. */
function limitDetails(resetsAt: number | undefined): object[] {
  const type = (name: string) => `type.googleapis.com/google.rpc.${name}`;
  if (resetsAt === undefined) {
    const quotaId = "GenerateRequestsPerDayPerProjectPerModel-FreeTier";
    return [{ "@type": type("QuotaFailure"), violations: [{ quotaId }] }];
  }
  const delay = Math.max(0, Math.round(resetsAt - Date.now() / 1000));
  return [{ "@type": type("RetryInfo"), retryDelay: `${delay}s` }];
}

function* stream(answer: Streamed, reading: Reading, usage: InputUsage): Iterable<StreamPart> {
  const parts = partsOf(answer, reading);
  // The first event would be a thought; an empty part says as little.
  if (answer.held) {
    yield event({ candidates: [{ index: 0, content: { role: "model", parts: [{ text: "" }] } }] });
    yield "pause";
  }
  if ("endless" in answer)
    for (;;) {
      yield event({ candidates: [{ index: 0, content: { role: "model", parts } }] });
      yield "breathe";
    }
  if ("dropped" in answer) {
    yield event({ candidates: [{ index: 0, content: { role: "model", parts } }] });
    yield "breathe";
    yield "drop";
  }
  yield event(response(parts, usage));
}

function whole(answer: Streamed, reading: Reading, usage: InputUsage): unknown {
  return response(partsOf(answer, reading), usage);
}

function response(parts: readonly Part[], { input, cached }: InputUsage) {
  const output = tokens(JSON.stringify(parts));
  return {
    candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: {
      promptTokenCount: input,
      cachedContentTokenCount: cached,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
    },
    modelVersion: "test-model",
  };
}

function partsOf(answer: Streamed, _reading: Reading): Part[] {
  if ("shell" in answer)
    return [call("run_shell_command", { command: answer.shell, description: "a command" })];
  if ("tool" in answer) return [call(answer.tool, answer.input)];
  if ("calls" in answer) return answer.calls.map(({ tool, input }) => call(tool, input));
  const text =
    "text" in answer ? answer.text : "dropped" in answer ? answer.dropped : answer.endless;
  return [{ text }];
}

let calls = 0;
function call(name: string, args: unknown): Part {
  calls += 1;
  return { functionCall: { id: `call_${calls}`, name, args } };
}

function event(data: object): StreamPart {
  return { send: `data: ${JSON.stringify(data)}\r\n\r\n` };
}
