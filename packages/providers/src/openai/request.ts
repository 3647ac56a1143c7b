/** The body of a request to a Chat Completions service. */

import { leadingInstructions } from "@reprise/core/prompt/compose";
import type { JsonSchema } from "@reprise/core/session/turn";
import { type StoredMessage, type WireMessage, wireMessages, withoutDangling } from "./message.ts";
import { estimatedTokens, windowOf } from "./window.ts";

export interface RequestOptions {
  readonly model: string;
  /** The largest request; null for no limit. */
  readonly contextTokens: number | null;
  /** Sent as `response_format`. */
  readonly schema: JsonSchema | null;
  /** For a service that does not take a schema: what the last message says of the answer. */
  readonly schemaRequest: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ChatRequest {
  readonly body: Readonly<Record<string, unknown>>;
  /** How many of its messages came before the new prompt. */
  readonly earlier: number;
  /** What a person should know of what was not sent. */
  readonly notes: readonly string[];
}

/** `added`: the messages of this turn, of which the first is the prompt. */
export function requestOf(
  kept: readonly StoredMessage[],
  added: readonly StoredMessage[],
  options: RequestOptions,
): ChatRequest {
  const { whole, trimmed } = withoutDangling([...kept, ...added]);
  const { sent, leftOut, turns } = windowOf(whole, options.contextTokens);
  const instructions = leftOut.findLast(
    ({ role, content }) => role === "user" && leadingInstructions(content) !== null,
  );
  const opening = instructions ? [leadingInstructions(instructions.content)!] : [];
  const messages = wireMessages(sent, opening);
  return {
    body: {
      ...options.parameters,
      model: options.model,
      messages: withSchema(messages, options),
      stream: true,
      stream_options: { include_usage: true },
      ...responseFormat(options),
    },
    earlier: messages.length - added.length,
    notes: [
      ...(trimmed === 0
        ? []
        : [
            `Tool calls or results of the history without a counterpart were not sent: ${trimmed}.`,
          ]),
      ...(turns === 0
        ? []
        : [
            `The oldest ${turns === 1 ? "turn was" : `${turns} turns were`} left out of the request (about ${estimatedTokens(leftOut)} tokens), because of the limit of ${options.contextTokens} (contextTokens).`,
          ]),
    ],
  };
}

function responseFormat({ schema }: RequestOptions) {
  if (schema === null) return {};
  return {
    response_format: {
      type: "json_schema",
      json_schema: { name: "answer", strict: true, schema },
    },
  };
}

/** Only the request has it: it is the schema of this turn's answer, and no part of the conversation. */
function withSchema(
  messages: readonly WireMessage[],
  { schemaRequest }: RequestOptions,
): readonly WireMessage[] {
  const last = messages.findLastIndex(({ role }) => role === "user");
  if (schemaRequest === null) return messages;
  return messages.map((message, index) =>
    index === last ? { ...message, content: `${message.content}\n\n${schemaRequest}` } : message,
  );
}
