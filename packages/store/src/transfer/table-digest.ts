/**
 * The digest of a table: equal for equal rows, in any order. Both databases can compute it by themselves, so rows need
 * not be read back over the network.
 */

import { hash } from "node:crypto";

export interface TableDigest {
  readonly rows: number;
  readonly digest: string;
}

/** What a column has, as text that PostgreSQL writes in the same way; bytes are replaced by their SHA-256. */
export type ColumnText = string | null;

/** The sums of the first and the second 64 bits of the SHA-256 of all rows. */
export interface DigestSums {
  readonly rows: number;
  readonly high: bigint;
  readonly low: bigint;
}

export function sumOf(rows: Iterable<readonly ColumnText[]>): DigestSums {
  let [count, high, low] = [0, 0n, 0n];
  for (const row of rows) {
    const digest = hash("sha256", rowText(row), "hex");
    count += 1;
    high += signed(digest.slice(0, 16));
    low += signed(digest.slice(16, 32));
  }
  return { rows: count, high, low };
}

export function tableDigest({ rows, high, low }: DigestSums): TableDigest {
  return { rows, digest: hash("sha256", `${rows} ${high} ${low}`, "hex").slice(0, 32) };
}

/** The same in PostgreSQL. `columns` are expressions for the texts of the columns. */
export function sumsInPostgres(table: string, columns: readonly string[]): string {
  const row = columns
    .map((text) => `coalesce(octet_length(${text}) || ':' || ${text}, '-')`)
    .join(" || ',' || ");
  const sum = (from: number) =>
    `CAST(coalesce(sum(CAST(CAST(('x' || substr(digest, ${from}, 16)) AS BIT(64)) AS BIGINT)), 0) AS VARCHAR)`;
  return `SELECT count(*) AS rows, ${sum(1)} AS high, ${sum(17)} AS low
    FROM (SELECT encode(sha256(convert_to(${row}, 'UTF8')), 'hex') AS digest FROM ${table}) AS hashed`;
}

/** The length before each text keeps apart rows such as ("a,b", "c") and ("a", "b,c"). */
function rowText(row: readonly ColumnText[]): string {
  return row.map((text) => (text === null ? "-" : `${Buffer.byteLength(text)}:${text}`)).join(",");
}

function signed(hex: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${hex}`));
}
