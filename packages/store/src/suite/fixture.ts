/** A store under test: opened for every test and closed after it. */

import type { Store } from "../store.ts";
import { onTestFinished } from "./runner.ts";

export interface Opened {
  readonly store: Store;
  /** Another store on the same data, as a second process would open it; `home` is the path of Reprise's home. */
  reopen(options?: { readonly home?: string }): Promise<Store>;
  /** How many statements all stores of this kind have executed so far; without it, they are not compared. */
  statements?(): number;
  /** Closes every opened store and removes the data. */
  cleanup(): Promise<void>;
}

/** The clock of every store under test; `use` sets it to 0. */
export const clock = { now: 0 };

/** What a store is opened with. */
export interface StoreTestOptions {
  /** The store's clock, in milliseconds since 1970. */
  now(): number;
}

export type Open = (options: StoreTestOptions) => Promise<Opened>;

export async function use(open: Open): Promise<Opened> {
  clock.now = 0;
  const opened = await open({ now: () => clock.now });
  onTestFinished(() => opened.cleanup());
  return opened;
}
