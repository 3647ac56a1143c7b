/**
 * Copies everything from a SQLite database into a PostgreSQL database of the same schema, and compares both. Killed at
 * any moment, it continues behind the last batch. If the rows to copy have changed since, it begins again.
 */

import { hash } from "node:crypto";
import type { BatchLimits, TransferSource } from "./source.ts";
import type { TableDigest } from "./table-digest.ts";
import type { Table } from "./tables.ts";
import { copyDiffers, type TransferTarget } from "./target.ts";

export interface TransferredTable extends TableDigest {
  readonly table: string;
}

export interface Transferred {
  readonly tables: readonly TransferredTable[];
  /** Whether it continued an earlier copy. */
  readonly resumed: boolean;
}

export interface TransferOptions {
  readonly source: TransferSource;
  readonly target: TransferTarget;
  readonly limits?: BatchLimits;
  /** Called after each batch. */
  readonly report?: (progress: { table: string; copied: number; rows: number }) => void;
}

/** One row may be larger; it is a batch of its own then. */
const usualLimits: BatchLimits = { rows: 1000, bytes: 4 * 1024 * 1024 };

export async function transfer({
  source,
  target,
  limits = usualLimits,
  report = () => {},
}: TransferOptions): Promise<Transferred> {
  const { tables } = source;
  const wanted = tables.map((table) => ({ table, digest: source.digest(table) }));
  const rows = wanted.reduce((sum, { digest }) => sum + digest.rows, 0);
  const record = await target.begin(fingerprint(wanted), tables);
  const reached = tables.findIndex(({ name }) => name === record?.table);
  for (const [index, table] of tables.entries()) {
    if (index < reached || record?.state === "complete") continue;
    const after = index === reached && record?.row ? BigInt(record.row) : null;
    let copied = wanted.slice(0, index).reduce((sum, { digest }) => sum + digest.rows, 0);
    for (const batch of source.batches(table, after, limits)) {
      await target.write(table, batch);
      copied += batch.rows.length;
      report({ table: table.name, copied, rows });
    }
  }
  for (const { table, digest } of wanted) {
    const there = await target.digest(table);
    if (there.digest === digest.digest) continue;
    await target.forget();
    throw copyDiffers(table, digest, there, target.database);
  }
  await target.complete();
  return {
    tables: wanted.map(({ table, digest }) => ({ table: table.name, ...digest })),
    resumed: record !== null,
  };
}

function fingerprint(wanted: readonly { table: Table; digest: TableDigest }[]): string {
  const lines = wanted.map(({ table, digest }) =>
    [table.name, ...table.columns, digest.rows, digest.digest].join(" "),
  );
  return hash("sha256", lines.join("\n"), "hex");
}
