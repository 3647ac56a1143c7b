/** Reads a provider's history and judges it against a pin. */

import { type ErrorView, UnreadError } from "@reprise/core/errors/errors";
import type { HistoryState } from "@reprise/core/session/decision";
import {
  type CheckpointState,
  type History,
  judgedHandle,
  judgeHistory,
} from "@reprise/core/session/history";
import type { Pin } from "@reprise/core/session/pin";
import { readOnce } from "@reprise/providers/files";
import type { FileSource, Provider } from "@reprise/providers/provider";
import { sha256 } from "../digest.ts";

export interface FoundHistory {
  readonly history: History | "missing" | "unreadable";
  /** Why reading failed; the history itself may be fine. */
  readonly error: ErrorView | null;
  /** Candidates for the history at the time of the pin; read only if the current one differs. */
  readonly earlier: readonly History[];
}

/** Reads the history of the provider session that is compared with the pin. */
export async function readHistory(
  provider: Provider,
  pin: Pin,
  source: FileSource = readOnce(),
): Promise<FoundHistory> {
  try {
    const handle = judgedHandle(pin);
    const history = await provider.observe(handle, sha256, source);
    const { state } = judgeHistory(pin, history, "none", sha256);
    const changed = typeof history !== "string" && (state === "lost" || state === "unforkable");
    const earlier = changed ? await provider.earlier?.(handle, pin.bytes, sha256, source) : [];
    return { history, error: null, earlier: earlier ?? [] };
  } catch (error) {
    if (!(error instanceof UnreadError)) throw error;
    return { history: "unreadable", error: error.view(), earlier: [] };
  }
}

export function judgeFound(
  pin: Pin,
  { history, error, earlier }: FoundHistory,
  checkpoint: CheckpointState,
): HistoryState {
  if (error) return { state: "unread", error };
  return judgeHistory(pin, history, checkpoint, sha256, earlier);
}
