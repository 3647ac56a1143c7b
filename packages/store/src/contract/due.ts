/** What is due at a time: deadlines and deliveries. */

export interface NewDue {
  readonly id: string;
  readonly key: string;
  readonly at: number;
  readonly payload: unknown;
}

export interface Due extends NewDue {
  readonly failures: number;
}

export interface DueStore {
  /**
   * Claims what is due by the store's clock; one claim per key at a time, in the order of `at`. A claim that is not
   * settled within a minute may be given to another owner. `kind` is the part of the id before its
   * first colon; `webhook` claims only deliveries to that webhook.
   */
  claimDue(claim: {
    owner: string;
    kind?: string;
    webhook?: string;
    limit: number;
  }): Promise<Due[]>;
  /**
   * Removes a claimed row, or makes it due again at `again` and counts a failure. No effect if the claim has
   * another owner.
   */
  settleDue(settle: { id: string; owner: string; again: number | null }): Promise<void>;
}
