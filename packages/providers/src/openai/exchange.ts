/** The exchange of one turn: the prompt, the model's answer, and the answer that it gets when it asks for tools. */

import { addUsage, type Usage } from "@reprise/core/usage/usage";
import { ask, type ChatService, Unanswered } from "./ask.ts";
import type { ChatCompletion } from "./completion.ts";
import type { StoredCall, StoredMessage } from "./message.ts";
import { type RequestOptions, requestOf } from "./request.ts";

/** What happens in a turn, as the bridge prints it. */
export type ChatEvent =
  | { readonly type: "note" | "text"; readonly text: string }
  | { readonly type: "model"; readonly name: string }
  | { readonly type: "usage"; readonly usage: Usage }
  | {
      readonly type: "denied";
      readonly id: string;
      readonly tool: string;
      readonly detail: string;
    };

export interface Exchange {
  /** The messages that the conversation gains. */
  readonly added: readonly StoredMessage[];
  readonly answer: string;
}

/** A model that was given no tools and asks for one again and again will not stop. */
const maxRounds = 5;

const noTools = "There are no tools in this conversation. Answer with text.";

/** @throws Unanswered */
export async function exchange(
  service: ChatService,
  kept: readonly StoredMessage[],
  prompt: string,
  options: RequestOptions,
  print: (event: ChatEvent) => void,
): Promise<Exchange> {
  const added: StoredMessage[] = [{ role: "user", content: prompt }];
  let usage: Usage | null = null;
  for (let round = 1; ; round += 1) {
    const request = requestOf(kept, added, options);
    for (const text of request.notes) print({ type: "note", text });
    const completion = await ask(service, request, (text) => print({ type: "text", text }));
    const model = completion.model ?? options.model;
    if (round === 1) print({ type: "model", name: model });
    if (completion.usage) {
      usage = usage === null ? completion.usage : addUsage(usage, completion.usage);
      // Each replaces the one before it, so that a turn that fails later has what it used.
      print({ type: "usage", usage });
    }
    const { text: content } = completion;
    if (completion.calls.length === 0) {
      const answer = answerOf(completion, print);
      return { added: [...added, { role: "assistant", content, model }], answer };
    }
    if (round === maxRounds)
      throw new Unanswered({
        kind: "request",
        message: `the model asked for tools ${maxRounds} times, and it has none`,
        hint: "Ask for an answer in text, or use an agent that has tools; the session is kept.",
      });
    const calls = completion.calls.map((call, index) => ({
      ...call,
      id: call.id || `call_${round}_${index + 1}`,
    }));
    for (const call of calls) print(denied(call));
    added.push(
      { role: "assistant", content, calls, model },
      ...calls.map(({ id }) => ({ role: "tool", content: noTools, call: id }) as const),
    );
  }
}

function denied({ id, name, arguments: given }: StoredCall): ChatEvent {
  return { type: "denied", id, tool: name, detail: given };
}

/** @throws Unanswered when the model or the service refused to answer. */
function answerOf(
  { text, refusal, finish }: ChatCompletion,
  print: (event: ChatEvent) => void,
): string {
  if (text.trim() === "") {
    if (refusal !== "") throw new Unanswered({ kind: "request", message: refusal });
    if (finish === "content_filter")
      throw new Unanswered({ kind: "request", message: "the service's content filter stopped it" });
    return "";
  }
  const cut: Readonly<Record<string, string>> = {
    length: "The answer was cut off at the limit of output tokens.",
    content_filter: "The answer was cut off by the service's content filter.",
  };
  if (finish !== null && Object.hasOwn(cut, finish)) print({ type: "note", text: cut[finish]! });
  return text;
}
