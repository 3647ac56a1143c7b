/** Inbox items: what asks a person, and the one answer to each. */

import type { InboxItem } from "@reprise/workflow/inbox-item";

export type NewItem = Omit<InboxItem, "run" | "workflow" | "openedAt" | "resolution">;

export interface InboxStore {
  /**
   * Resolves an open item, once: the event on the run's stream (`gate.answered`, or `gate.expired` if its
   * deadline has passed by the store's clock), its sessions held by `run:<run>` instead, its deadline removed, and the run
   * `running`, unless it is stuck. The item of a stuck run makes it `running` again (`run.retried`), or ends it
   * (`run.cancelling`, `run.ended`) if the choice is `cancel`. `given` is false if it was resolved before; the
   * item says how.
   * @throws NotFoundError `no-item`
   */
  answerItem(answer: {
    item: string;
    choice: string;
    by: string;
    comment: string | null;
    values: Readonly<Record<string, unknown>>;
    at: number;
  }): Promise<{ item: InboxItem; given: boolean }>;
  /** Resolves an open item whose deadline has passed by the store's clock as expired; false if there is nothing to do. */
  expireItem(expire: { item: string }): Promise<boolean>;
  readItem(id: string): Promise<InboxItem | null>;
  findItems(prefix: string, limit: number): Promise<string[]>;
  /**
   * Open items, oldest first; with `all`, resolved ones too, newest first. `after` is the last item of the
   * previous page; `overdueAt` keeps only items whose deadline had passed by then.
   */
  listItems(query: {
    run?: string;
    all?: boolean;
    overdueAt?: number;
    after?: Pick<InboxItem, "openedAt" | "id">;
    limit: number;
  }): Promise<InboxItem[]>;
  /** Items and turns that ask, as `listItems` and `listQuestions` have them together. */
  countInbox(query: { run?: string; all?: boolean }): Promise<number>;
}
