/** Turns that a person typed or took back in the provider's own program, as messages of the conversation. */

import type { Message } from "@reprise/core/conversation/message";
import { chain, messageDigest, sinceOpening, slice } from "@reprise/core/conversation/slice";
import { contextOf, type HistoryItem, lastSummary } from "@reprise/core/session/history";
import type { Pin } from "@reprise/core/session/pin";
import { sha256 } from "../digest.ts";
import { newId } from "../ids.ts";
import type { Observation } from "./observe.ts";

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

export interface NativeTurns {
  readonly messages: Message[];
  /** Ids of messages. */
  readonly takenBack: readonly string[];
  readonly pin: Pin;
}

/** What was typed or taken back since the last confirmed turn, and the pin that covers it; null if nothing was. */
export function nativeTurns(
  { pin, history, observed, wanted, facts, takenBack }: Observation,
  at: number,
): NativeTurns | null {
  const { state } = observed.history;
  if ((state !== "advanced" && state !== "rewound") || !pin?.history || typeof history === "string")
    return null;
  const known = state === "rewound" ? observed.history.kept : pin.history.length;
  const messages = nativeMessages(history.items.slice(known), wanted, at);
  const current = sinceOpening(facts.outline).filter(({ id }) => !takenBack.includes(id));
  const now = slice([...current, ...messages], wanted.agent);
  return {
    messages,
    takenBack,
    pin: {
      ...pin,
      given: chain(
        now.map((message) => message.digest),
        sha256,
      ),
      cursor: messages.at(-1)?.id ?? (state === "rewound" ? (now.at(-1)?.id ?? null) : pin.cursor),
      history: chain(
        history.items.map((item) => item.digest),
        sha256,
      ),
      ...contextOf(history, sha256),
      summary: lastSummary(history),
      totals: history.totals ?? pin.totals,
      residue: null,
      bytes: history.bytes,
    },
  };
}
