/** Reads a listing page by page, and says how much of it is shown. */

import type { Cli } from "./cli.ts";
import { grouped } from "./format/text.ts";

/** No page of the API has more rows. */
const maxPage = 1000;

export interface PageQuery {
  readonly limit: number;
  readonly after?: string;
}

/** At most `limit` rows, starting after the row `after`. */
export async function readPages<Row>(
  { limit, after }: PageQuery,
  read: (page: PageQuery) => Promise<Row[]>,
  cursor: (row: Row) => string,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let last = after; rows.length < limit; last = cursor(rows.at(-1)!)) {
    const page = Math.min(maxPage, limit - rows.length);
    const found = await read({ limit: page, ...(last !== undefined && { after: last }) });
    rows.push(...found);
    if (found.length < page) break;
  }
  return rows;
}

/** `100 of 10,000 sessions`, with the options that show more; silent when all are shown. */
export function remarkRest(
  cli: Cli,
  { shown, total, what, last }: { shown: number; total: number; what: string; last: string },
): void {
  if (shown >= total) return;
  cli.remark(
    `${grouped(shown)} of ${grouped(total)} ${what}. Show more with --limit ${total}, or the next with --after ${last}`,
  );
}
