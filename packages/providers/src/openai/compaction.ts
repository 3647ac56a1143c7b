/** Compacts a conversation: the model writes a summary of it, which takes the place of its messages. */

import { compactPrompt } from "../compact-prompt.ts";
import { type ChatService, Unanswered } from "./ask.ts";
import { type ChatEvent, exchange } from "./exchange.ts";
import type { StoredMessage } from "./message.ts";
import type { RequestOptions } from "./request.ts";
import { halved } from "./window.ts";

/**
 * A conversation that is too long for the model is too long for its summary as well: then the older half of its turns is
 * left out, as often as necessary.
 * @throws Unanswered
 */
export async function summarize(
  service: ChatService,
  messages: readonly StoredMessage[],
  focus: string | null,
  options: RequestOptions,
  print: (event: ChatEvent) => void,
): Promise<StoredMessage> {
  const prompt = compactPrompt(focus);
  for (let kept = messages; ; ) {
    try {
      const { added, answer } = await exchange(service, kept, prompt, options, print);
      const model = added.at(-1)?.model;
      if (answer.trim() !== "")
        return { role: "summary", content: answer, ...(model && { model }) };
      throw new Unanswered({ kind: "unknown", message: "the model wrote no summary" });
    } catch (error) {
      if (!(error instanceof Unanswered && error.failure.overflow)) throw error;
      const fewer = halved(kept);
      if (fewer === null) throw new Unanswered({ ...error.failure, exhausted: true });
      kept = fewer;
      print({
        type: "note",
        text: "The oldest turns were too long for the summary and are not in it.",
      });
    }
  }
}
