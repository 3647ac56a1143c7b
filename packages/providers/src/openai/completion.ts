/** One answer of a Chat Completions service: read from its stream, or from a body that came whole. */

import type { Usage } from "@reprise/core/usage/usage";
import { jsonLine } from "../files.ts";
import type { StoredCall } from "./message.ts";
import { serverEvents } from "./server-events.ts";

export interface ChatCompletion {
  readonly text: string;
  readonly calls: readonly StoredCall[];
  /** The model's reason not to answer, where the service reports it apart from the text. */
  readonly refusal: string;
  /** Why it ended: `stop`, `length`, `tool_calls`, `content_filter`; null if the service did not say. */
  readonly finish: string | null;
  readonly usage: Usage | null;
  /** The model that answered. */
  readonly model: string | null;
}

/** An error that the service reports after it has begun to answer. */
export class ErrorInAnswer extends Error {
  readonly body: Fields;

  constructor(body: Fields) {
    super("the service reported an error in its answer");
    this.body = body;
  }
}

/** The answer ended before it was complete. */
export class AnswerCut extends Error {}

/** What came is not a completion, such as the page of a network. */
export class NotACompletion extends Error {}

export type Fields = Readonly<Record<string, unknown>>;

/** @throws ErrorInAnswer, AnswerCut, NotACompletion, and what `fetch` throws when the connection is lost. */
export async function readCompletion(
  response: Response,
  onText: (text: string) => void,
): Promise<ChatCompletion> {
  const type = response.headers.get("content-type") ?? "";
  const answer = new AnswerSoFar(onText);
  if (/event-stream/.test(type) && response.body) {
    let isWhole = false;
    for await (const data of serverEvents(response.body)) {
      isWhole ||= data === "[DONE]";
      const chunk = jsonLine(data);
      if (chunk) answer.add(chunk);
    }
    // Some services close the stream without [DONE]; without a reason for the end either, the rest is missing.
    if (!isWhole && answer.finish === null)
      throw new AnswerCut("the connection was closed in the middle of the answer");
    return answer.completion();
  }
  const body = jsonLine(await response.text());
  if (body === null || !(Array.isArray(body.choices) || isFields(body.error)))
    throw new NotACompletion(`the service answered with ${type || "something"} instead of JSON`);
  answer.add(body);
  return answer.completion();
}

class AnswerSoFar {
  readonly #onText: (text: string) => void;
  readonly #calls = new Map<number, { id: string; name: string; arguments: string }>();
  #text = "";
  #refusal = "";
  #usage: Usage | null = null;
  #model: string | null = null;
  finish: string | null = null;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  /** A chunk of a stream, or a whole answer. */
  add({ choices, usage, model, error }: Fields): void {
    if (isFields(error)) throw new ErrorInAnswer(error);
    if (typeof model === "string" && model !== "") this.#model = model;
    if (isFields(usage)) this.#usage = usageOf(usage);
    const [choice] = Array.isArray(choices) ? choices : [];
    if (!isFields(choice)) return;
    if (typeof choice.finish_reason === "string") this.finish = choice.finish_reason;
    const part = choice.delta ?? choice.message;
    if (isFields(part)) this.#addPart(part);
  }

  #addPart({ content, refusal, tool_calls: calls }: Fields): void {
    const text = textOf(content);
    if (text !== "") {
      this.#text += text;
      this.#onText(text);
    }
    if (typeof refusal === "string") this.#refusal += refusal;
    if (!Array.isArray(calls)) return;
    for (const [at, call] of calls.entries()) if (isFields(call)) this.#addCall(call, at);
  }

  /** A call comes in pieces: its id and name first, its arguments bit by bit. */
  #addCall({ index, id, function: named }: Fields, at: number): void {
    const number = typeof index === "number" ? index : at;
    const call = this.#calls.get(number) ?? { id: "", name: "", arguments: "" };
    const { name, arguments: given } = isFields(named) ? named : {};
    if (typeof id === "string" && id !== "") call.id = id;
    if (typeof name === "string") call.name += name;
    if (typeof given === "string") call.arguments += given;
    this.#calls.set(number, call);
  }

  completion(): ChatCompletion {
    return {
      text: this.#text,
      calls: [...this.#calls.values()],
      refusal: this.#refusal,
      finish: this.finish,
      usage: this.#usage,
      model: this.#model,
    };
  }
}

/** Most services send a text, some a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => (isFields(part) && typeof part.text === "string" ? part.text : ""))
    .join("");
}

/** The input includes the cached part; what is written to a cache is not reported. */
function usageOf({ prompt_tokens, completion_tokens, prompt_tokens_details }: Fields): Usage {
  const details = isFields(prompt_tokens_details) ? prompt_tokens_details : {};
  const input = number(prompt_tokens);
  const cachedRead = number(details.cached_tokens);
  return {
    cachedRead,
    cachedWrite: null,
    uncached: input === null ? null : Math.max(0, input - (cachedRead ?? 0)),
    output: number(completion_tokens),
  };
}

function number(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
