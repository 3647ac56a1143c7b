/** `reprise migrate`: brings the home's database to the newest schema, or moves the home to PostgreSQL. */

import { openHome } from "@reprise/engine/home";
import { migrateSchema } from "@reprise/engine/migrate/migrate-schema";
import { type MoveProgress, moveHome } from "@reprise/engine/migrate/move-home";
import { alreadyServed } from "../../server/already-served.ts";
import { lockHome } from "../../server/home-lock.ts";
import { findServer } from "../../server/server-record.ts";
import type { Cli } from "../cli.ts";
import { table } from "../format/table.ts";
import { amount } from "../format/text.ts";
import { eraseLine } from "../turn-run.ts";

interface MigrateFlags {
  readonly to?: string;
}

export async function run(cli: Cli, { to }: MigrateFlags): Promise<number> {
  const { path, repaired } = await openHome(cli.home, { mayCreate: false });
  if (repaired !== null) cli.remark(repaired);
  return to === undefined ? migrate(cli, path) : move(cli, path, to);
}

async function migrate({ env, now, ...cli }: Cli, home: string): Promise<number> {
  const report = await migrateSchema({ home, env, now });
  const { schema, before, database } = report;
  if (cli.json) cli.document(report);
  else if (before === schema)
    cli.out.line(`The database ${database} has schema ${schema}, the newest.`);
  else cli.out.line(`Migrated the database ${database} from schema ${before} to ${schema}.`);
  return 0;
}

async function move({ env, now, ...cli }: Cli, home: string, to: string): Promise<number> {
  const unlock = lockHome(home);
  if (unlock === null) throw alreadyServed(home, await findServer(home));
  const line = progressLine(cli);
  line.show("reading the database");
  try {
    const report = await moveHome({ home, to, env, now, report: line.report });
    line.stop();
    const rows = report.tables.reduce((sum, each) => sum + each.rows, 0);
    if (cli.json) cli.document({ ...report, rows });
    else if (!report.moved) cli.out.line(`The home ${home} is in ${report.database} already.`);
    else {
      const filled = report.tables.filter((each) => each.rows > 0);
      for (const row of table(
        cli.out,
        [
          { title: "TABLE", cell: (each) => each.table },
          { title: "ROWS", cell: (each) => String(each.rows), align: "right" },
        ],
        filled,
      ))
        cli.out.line(row);
      cli.out.line(
        `Moved ${home} to ${report.database}: ${amount(rows, "row")}, compared with the original.`,
      );
    }
    if (report.keptAside) cli.remark(`The previous database is kept as ${report.keptAside}.`);
    if (report.moved) cli.remark("Next: reprise up --detach");
    return 0;
  } finally {
    line.stop();
    unlock();
  }
}

/** On a terminal, one line that is redrawn; otherwise one line for each table. */
function progressLine(cli: Pick<Cli, "err" | "quiet" | "remark">) {
  let shown = "";
  let isDrawn = false;
  const stop = () => {
    if (isDrawn) cli.err.write(eraseLine);
    isDrawn = false;
  };
  const show = (text: string) => {
    if (cli.quiet || !cli.err.redraws) return;
    cli.err.write(`${eraseLine}${text}`);
    isDrawn = true;
  };
  return {
    show,
    stop,
    report(progress: MoveProgress) {
      if (progress.step !== "copied") return;
      const { table: name, copied, rows } = progress;
      const text = `copying ${name}: ${copied} of ${amount(rows, "row")}`;
      show(text);
      if (!cli.err.redraws && shown !== name) cli.remark(text);
      shown = name;
    },
  };
}
