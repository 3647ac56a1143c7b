/** Copies the database of a test, and ends before a chosen batch. */

import type { StoreHome } from "../contract/hosts.ts";
import { TransferSource } from "./source.ts";
import { TransferTarget } from "./target.ts";
import { type Transferred, transfer } from "./transfer.ts";

export const someHome: StoreHome = { id: "home-1", host: "host", path: "/srv/ann", at: 1 };

export class Interrupted extends Error {}

export interface Move {
  readonly path: string;
  readonly url: string;
  readonly home?: StoreHome;
  /** Rows in a batch. */
  readonly rows?: number;
  /** Ends with an error once it has written this many batches. */
  readonly batches?: number;
}

export async function move({
  path,
  url,
  home = someHome,
  rows = 2,
  batches = Number.POSITIVE_INFINITY,
}: Move): Promise<Transferred> {
  const source = TransferSource.open(path, { busyTimeout: 0 });
  try {
    const target = await TransferTarget.open({ url, database: new URL(url).pathname, home });
    try {
      let written = 0;
      const report = () => {
        written += 1;
        if (written === batches) throw new Interrupted();
      };
      return await transfer({ source, target, limits: { rows, bytes: 1000 }, report });
    } finally {
      await target.close();
    }
  } finally {
    source.close();
  }
}
