/** What turns used. */

import type { UsageSum } from "@reprise/core/usage/report";

/** The turns that were summed; if there are several, the greatest key, agent, provider and turn. */
export interface UsageRow extends UsageSum {
  readonly key: string;
  readonly agent: string;
  readonly provider: string;
  readonly turn: { readonly id: string; readonly seq: number };
}

export interface UsageStore {
  /**
   * The usage of ended turns: in total, per session and agent, or per turn (newest first). `since`, `key` and
   * `agent` restrict the turns.
   */
  sumUsage(query: {
    by: "all" | "session" | "turn";
    since?: number;
    key?: string;
    agent?: string;
    limit?: number;
  }): Promise<UsageRow[]>;
}
