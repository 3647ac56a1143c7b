/** Turns that were typed in the provider's own program, as messages of the conversation. */

import type { Message } from "@reprise/core/conversation/message";
import { chain, messageDigest, slice } from "@reprise/core/conversation/slice";
import { type HistoryItem, lastSummary } from "@reprise/core/session/history";
import type { Pin } from "@reprise/core/session/pin";
import { sha256 } from "../digest.ts";
import { newId } from "../ids.ts";
import type { Situation } from "./observe.ts";

export function nativeMessages(
  items: readonly HistoryItem[],
  { agent, provider }: { readonly agent: string; readonly provider: string },
  at: number,
): Message[] {
  return items.flatMap(({ role, text }) =>
    role === "user" || role === "assistant"
      ? [
          {
            id: newId(),
            role,
            agent,
            provider,
            turn: null,
            text,
            digest: messageDigest(role, text, sha256),
            origin: "native" as const,
            opening: false,
            at,
          },
        ]
      : [],
  );
}

/** What was typed since the last confirmed turn, and the pin that covers it; null when nothing was. */
export function nativeTurns(
  { pin, history, observed, wanted, subject }: Situation,
  at: number,
): { readonly messages: Message[]; readonly pin: Pin } | null {
  if (observed.history.state !== "advanced" || !pin?.history || typeof history === "string")
    return null;
  const messages = nativeMessages(history.items.slice(pin.history.length), wanted, at);
  const now = slice([...subject.outline, ...messages], wanted.agent);
  return {
    messages,
    pin: {
      ...pin,
      given: chain(
        now.map((message) => message.digest),
        sha256,
      ),
      cursor: messages.at(-1)?.id ?? pin.cursor,
      history: chain(
        history.items.map((item) => item.digest),
        sha256,
      ),
      summary: lastSummary(history),
      totals: history.totals ?? pin.totals,
      residue: null,
      bytes: history.bytes,
    },
  };
}
