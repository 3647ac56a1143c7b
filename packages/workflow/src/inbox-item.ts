/** Something that waits for a person: an approval, a form, what an agent asks, or a run that is stuck. */

import type { FormField } from "./graph.ts";
import type { NamedValues } from "./run/event.ts";

/** The choices for a stuck run: try again, or end it. The first means yes. */
export const stuckChoices = ["retry", "cancel"] as const;

/** The item of a gate or of a stuck run. Questions of agents are waiting turns, listed with these. */
export interface InboxItem {
  readonly id: string;
  readonly kind: "approval" | "form" | "stuck";
  readonly run: string;
  /** For a gate; null for a stuck run. */
  readonly execution: string | null;
  readonly workflow: string;
  readonly title: string;
  readonly message: string | null;
  /** The first means yes. */
  readonly choices: readonly string[];
  readonly fields: readonly FormField[];
  /** Who may answer; empty for every caller. */
  readonly answerers: readonly string[];
  /** Name of the passphrase that an answer needs. */
  readonly passphrase: string | null;
  /** Sessions that are held for it. */
  readonly sessions: readonly string[];
  readonly deadline: number | null;
  readonly openedAt: number;
  /** Null while it is open. */
  readonly resolution: Resolution | null;
}

export type Resolution =
  | {
      readonly how: "answered";
      readonly choice: string;
      readonly by: string;
      readonly comment: string | null;
      readonly values: NamedValues;
      readonly at: number;
    }
  | { readonly how: "expired" | "cancelled"; readonly at: number };

/** An answer in one line: the choice, or the answer to each question of an agent. */
export function saidIn(resolution: {
  readonly choice: string | null;
  readonly values: NamedValues;
}): string {
  return resolution.choice ?? Object.values(resolution.values).map(String).join(" · ");
}
