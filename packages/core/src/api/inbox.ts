/** The inbox: gates, forms and questions that wait for a person. */

import type { RunOptions, RunView } from "./runs.ts";
import type { Explanation } from "./sessions.ts";

export type InboxItemKind = "approval" | "form" | "question" | "permission" | "stuck";

export interface FormFieldView {
  name: string;
  label: string;
  type: "string" | "number" | "boolean" | "choice";
  choices: string[];
  required: boolean;
  default?: unknown;
}

/** One of the questions that an agent asks in one call; their numbers begin with 1. */
export interface QuestionPartView {
  text: string;
  /** What the agent suggests; another answer is fine too. */
  options: string[];
}

export interface InboxItemView {
  /** For a question, the id of its turn. */
  id: string;
  kind: InboxItemKind;
  run: string | null;
  execution: string | null;
  workflow: string | null;
  title: string;
  message: string | null;
  choices: string[];
  fields: FormFieldView[];
  /** What the agent asks; empty for other kinds. */
  questions: QuestionPartView[];
  /** Who may answer; empty means everyone. */
  answerers: string[];
  /** Name of the passphrase that an answer needs. */
  passphrase: string | null;
  deadline: number | null;
  openedAt: number;
  resolution: {
    how: "answered" | "expired" | "cancelled";
    choice: string | null;
    by: string | null;
    comment: string | null;
    values: Record<string, unknown>;
    at: number;
  } | null;
  sessions: string[];
}

export interface InboxItemDetail extends InboxItemView {
  /** What would happen to each of its sessions if the run continued now. */
  resumability: Explanation[];
}

export interface AnswerItem {
  /** Id of the item, or a unique prefix of it. */
  item: string;
  /** Gate: one of its choices. Permission: `allow` or `deny`. Only an explicit `allow` allows it. */
  choice?: string | null | undefined;
  /** Values of a form. */
  values?: Record<string, unknown> | null | undefined;
  comment?: string | null | undefined;
  /** Who answers. */
  by: string;
  /** Passphrase of a gate that needs one; it is compared and never stored. */
  passphrase?: string | null | undefined;
  /** Answers a single question of an agent. */
  text?: string | null | undefined;
  /** Maps each question of an agent, by its text or by its number, to its answer. */
  answers?: Record<string, string> | null | undefined;
  /** Denies a permission, or declines a question, with this reason. */
  deny?: string | null | undefined;
}

export interface AnsweredItem {
  item: InboxItemView;
  /** false: the item already had this answer. */
  given: boolean;
  /** The run after it continued, if the item belongs to one. */
  run: RunView | null;
}

export interface AnswerOptions {
  /** false: store the answer without continuing the run here. */
  readonly continue?: boolean;
  /** @deprecated The earlier name of `continue`. */
  readonly carry?: boolean;
  /** Called once, when the answer is stored and before the run continues; `given` is false if it was there before. */
  readonly onAnswered?: (item: string, given: boolean) => void;
}

/** Everything that waits for a person. */
export interface InboxApi {
  /**
   * Lists open items, oldest first: gates, and turns whose agent asks something. `all` adds settled gates and lists
   * the newest first. `after` is the id of the last item of the page before.
   * @example
   * for (const { id, title } of await reprise.inbox.list()) console.log(id, title);
   */
  list(query?: {
    run?: string;
    all?: boolean;
    after?: string;
    limit?: number;
  }): Promise<InboxItemView[]>;
  /**
   * Counts open items, or with `all` also settled ones.
   * @example
   * const open = await reprise.inbox.count();
   */
  count(query?: { run?: string; all?: boolean }): Promise<number>;
  /**
   * Shows one item, and whether its sessions could be resumed now.
   * @throws NotFoundError `no-item`
   * @example
   * const { choices, resumability } = await reprise.inbox.show("01k9");
   */
  show(item: string): Promise<InboxItemDetail>;
  /**
   * Answers an item, once, and continues its run unless `continue` is false.
   * @throws DeniedError when `by` may not answer it, TerminalError `answered` when it has another answer.
   * @example
   * const { run } = await reprise.inbox.answer({ item: "01k9", choice: "approve", by: "ann" });
   */
  answer(answer: AnswerItem, options?: RunOptions & AnswerOptions): Promise<AnsweredItem>;
}
