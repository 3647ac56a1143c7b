/** The database as a whole. */

export interface StoreReport {
  readonly schema: number;
  readonly path: string;
  readonly bytes: number;
  readonly sound: boolean;
  readonly problems: readonly string[];
}

/**
 * `durable`: on the disk before the verb returns. `buffered`: on the disk with the next durable write at
 * the latest. A buffered write survives every process and is lost only in a power loss, together with the
 * process that wrote it; a store with a server of its own makes every write durable. Never use it for what
 * a caller already knows, or for a start that leaves a trace.
 */
export type Durability = "durable" | "buffered";

export interface DatabaseStore {
  /**
   * The store's clock, in milliseconds since 1970: that of the database's server, or of this process if the store is
   * a file. Only it decides what is due, and whether a deadline has passed.
   */
  now(): Promise<number>;
  /** Schema version, size and whether the database is sound; `full` reads every page. */
  check(options: { full: boolean }): Promise<StoreReport>;
  /** Writes something and deletes it again. @throws StoreError if that fails. */
  checkWritable(): Promise<void>;
  /**
   * Records the current boot of the machine, for a store that is a file there. If the store was last used in another
   * boot, buffered events may be lost although a reader has seen them. So an event `home.booted` is appended with a
   * number so much higher that no number is used twice. A store with a server of its own compares the runs of that
   * server instead, and appends nothing. True if the boot is new.
   */
  recordBoot(record: { boot: string; at: number }): Promise<boolean>;
  /**
   * Copies everything, as of one moment, into the new file `path`, while other processes use the store.
   *
   * @throws UsageError `backup-not-supported` if the database has programs of its own for that.
   */
  backup(path: string): Promise<{ schema: number; sessions: number; turns: number }>;
  /**
   * Waits until something was committed after the mark `since`, by any process, and returns a new mark; at once
   * if that has already happened, or if `signal` aborts. Marks belong to this open store; 0 is before all of
   * them. Take a mark before you read, then wait with it: no commit is missed. A caller may be woken without
   * a reason. A store that is closed wakes its callers.
   */
  changes(since: number, signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}
