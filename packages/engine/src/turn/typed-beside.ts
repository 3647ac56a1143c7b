/** What a person typed in the agent's own program while a turn ran, and what of both the agent did not keep. */

import { option } from "@reprise/core/errors/hint";
import type { Notice } from "@reprise/core/session/decision";
import type { HistoryItem } from "@reprise/core/session/history";
import type { Pin } from "@reprise/core/session/pin";
import { type NotKept, notKept, typedMeanwhile } from "@reprise/core/session/typed-meanwhile";
import { shortLine } from "@reprise/core/text/short-line";
import type { Provider } from "@reprise/providers/provider";
import type { ObservedAfter } from "./observe-after.ts";

export interface TypedBeside {
  readonly typed: readonly HistoryItem[];
  readonly left: NotKept;
}

export const nothingTyped: TypedBeside = { typed: [], left: { typed: [], turn: false } };

export function typedBeside(
  prompt: string,
  answer: string | null,
  {
    provider,
    after: { gained, history },
    resumed,
  }: {
    readonly provider: Pick<Provider, "escape">;
    readonly after: Pick<ObservedAfter, "gained" | "history">;
    readonly resumed: Pick<Pin, "bytes" | "fork" | "residue"> | null;
  },
): TypedBeside {
  const turn = {
    prompts: [prompt.trim(), (provider.escape?.(prompt) ?? prompt).trim()],
    answer,
  };
  // After a fork, or a turn that was not confirmed, the size in the pin is not that from before this turn.
  const since =
    resumed?.fork || resumed?.residue ? Number.POSITIVE_INFINITY : (resumed?.bytes ?? 0);
  const left = notKept(history?.abandoned ?? [], gained, turn, since);
  return { typed: typedMeanwhile(gained, turn, left.turn), left };
}

export function typedNotices({ typed, left }: TypedBeside): Notice[] {
  const messages = typed.length === 1 ? "1 message was" : `${typed.length} messages were`;
  const quoted = left.typed.map((text) => `"${shortLine(text)}"`).join(", ");
  const isShortened = left.typed.some((text) => shortLine(text) !== text);
  return [
    ...(typed.length === 0
      ? []
      : [
          {
            code: "native-turns",
            text: `${messages} added in the provider's own program while this turn ran; they are kept.`,
          },
        ]),
    ...(left.typed.length === 0
      ? []
      : [
          {
            code: "not-kept",
            text: `The agent did not keep what was typed in its own program while this turn ran: ${quoted}.`,
            ...(isShortened && { detail: left.typed.join("\n") }),
          },
        ]),
    ...(left.turn
      ? [
          {
            code: "not-kept",
            text: `The agent did not keep this turn, because it continued what was typed in its own program at the same time. Use ${option("continuity", "reseed")} for the next turn, so that it knows both.`,
          },
        ]
      : []),
  ];
}
