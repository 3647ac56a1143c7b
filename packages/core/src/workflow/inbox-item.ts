/** Something that waits for a person: an approval, a form, or what an agent wants to know. */

import type { FormField } from "./graph.ts";
import type { Values } from "./run/event.ts";

export const itemKinds = ["approval", "form", "question", "permission"] as const;

/** A gate's item. Questions of agents are turns that wait, and are shown beside these. */
export interface InboxItem {
  readonly id: string;
  readonly kind: "approval" | "form";
  readonly run: string;
  readonly execution: string;
  readonly workflow: string;
  readonly title: string;
  readonly message: string | null;
  /** The first means yes. */
  readonly choices: readonly string[];
  readonly fields: readonly FormField[];
  /** Who may answer; empty: anybody. */
  readonly answerers: readonly string[];
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
      readonly values: Values;
      readonly at: number;
    }
  | { readonly how: "expired" | "cancelled"; readonly at: number };

/** What somebody said, in a line: his choice, or what he answered to each question of an agent. */
export function saidIn(resolution: {
  readonly choice: string | null;
  readonly values: Values;
}): string {
  return resolution.choice ?? Object.values(resolution.values).map(String).join(" · ");
}
