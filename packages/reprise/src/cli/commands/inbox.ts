/** `reprise inbox`: what waits for a person, or one item and whether its sessions can be resumed. */

import type { InboxItemDetail, InboxItemView } from "@reprise/core/api/reprise";
import { saidIn } from "@reprise/workflow/inbox-item";
import type { Cli } from "../cli.ts";
import { decisionLine, partLines } from "../format/outcome.ts";
import { fields, table } from "../format/table.ts";
import { age, ago, brief, inert, until } from "../format/text.ts";
import { readPages, remarkRest } from "../pages.ts";

/** `inbox ITEM` prints the whole title. */
const maxTitle = 120;

interface InboxOptions {
  readonly run?: string;
  readonly all?: boolean;
  readonly limit?: number;
  readonly after?: string;
}

export async function run(
  cli: Cli,
  item: string | undefined,
  options: InboxOptions,
): Promise<number> {
  return item === undefined ? list(cli, options) : show(cli, item);
}

async function list(cli: Cli, options: InboxOptions): Promise<number> {
  const { run, all = false, limit = 100, after } = options;
  const filter = { ...(run && { run }), all };
  const { items, total } = await cli.withReprise(async (reprise) => {
    const page = { limit, ...(after !== undefined && { after }) };
    const items = await readPages(
      page,
      (each) => reprise.inbox.list({ ...filter, ...each }),
      ({ id }) => id,
    );
    return { items, total: await reprise.inbox.count(filter) };
  });
  if (cli.json) {
    cli.document(items);
    return 0;
  }
  if (items.length === 0) {
    cli.remark("Nothing waits for a person.");
    return 0;
  }
  for (const line of lines(cli, items)) cli.out.line(line);
  const last = items.at(-1)!.id.slice(0, 8);
  if (items.length === limit) remarkRest(cli, { shown: items.length, total, what: "items", last });
  return 0;
}

function lines(cli: Cli, items: readonly InboxItemView[]): string[] {
  const now = cli.now();
  return table<InboxItemView>(
    cli.out,
    [
      { title: "ITEM", cell: ({ id }) => id.slice(0, 8), style: () => "bold" },
      { title: "KIND", cell: ({ kind }) => kind },
      { title: "WHAT", cell: ({ title }) => brief(title, maxTitle), shrink: "end" },
      { title: "FROM", cell: askerOf, shrink: "middle" },
      { title: "NODE", cell: ({ execution }) => execution ?? "-", shrink: "middle" },
      { title: "STATE", cell: stateOf, shrink: "end" },
      {
        title: "DEADLINE",
        cell: ({ deadline }) => (deadline === null ? "-" : left(deadline, now)),
      },
      { title: "AGE", cell: ({ openedAt }) => age(openedAt, now), align: "right" },
    ],
    items,
  );
}

/** The run that waits, or the session whose agent asks outside of a run. */
function askerOf({ run, sessions: [key] }: InboxItemView): string {
  return run === null ? `session ${key ?? "-"}` : `run ${run}`;
}

async function show(cli: Cli, id: string): Promise<number> {
  const item = await cli.withReprise((reprise) => reprise.inbox.show(id));
  if (cli.json) {
    cli.document(item);
    return 0;
  }
  const { out } = cli;
  const now = cli.now();
  const title = item.questions.length > 1 ? partLines(item.questions) : [inert(item.title)];
  for (const line of title) out.line(out.paint("bold", line));
  if (item.message) out.line(inert(item.message));
  out.line();
  const facts = fields(out, [
    ["item", item.id],
    ["kind", item.kind],
    ["run", item.run],
    ...(item.run === null ? item.sessions.map((key) => ["session", key] as const) : []),
    ["node", item.execution],
    ["opened", ago(item.openedAt, now)],
    ["deadline", item.deadline === null ? null : left(item.deadline, now)],
    ["choices", item.choices.length > 0 ? item.choices.join(", ") : null],
    ...item.fields.map(({ name, label, type, required, choices }) => {
      const kind = choices.length > 0 ? choices.join(" | ") : type;
      return [`field ${name}`, `${label} (${kind}${required ? "" : ", optional"})`] as const;
    }),
    ["may answer", item.answerers.length > 0 ? item.answerers.join(", ") : null],
    ["passphrase", item.passphrase],
    ["state", item.resolution ? stateOf(item) : null],
    ["settled", item.resolution ? ago(item.resolution.at, now) : null],
    ...answers(item),
  ]);
  for (const line of facts) out.line(line);
  for (const line of resumability(cli, item)) out.line(line);
  return 0;
}

/** What the next turn of each of its sessions would be, so that you see a lost session before you answer. */
function resumability({ out }: Cli, { resumability }: InboxItemDetail): string[] {
  return resumability.map(({ key, decision }) => `${key}: ${decisionLine(out, decision, [])}`);
}

function stateOf({ resolution, answerers }: InboxItemView): string {
  if (resolution === null)
    return answerers.length > 0 ? `open for ${answerers.join(", ")}` : "open";
  const { how, by, comment } = resolution;
  if (how !== "answered") return how;
  return `${saidIn(resolution)} by ${by ?? "unknown"}${comment ? `: ${brief(comment)}` : ""}`;
}

/** The values of a form, or the answers to several questions. */
function answers({ kind, resolution }: InboxItemView): (readonly [string, string])[] {
  const values = Object.entries(resolution?.values ?? {});
  if (kind === "question" && values.length === 1) return [];
  return values.map(([name, value]) => [name, String(value)]);
}

function left(deadline: number, now: number): string {
  return deadline > now ? `in ${until(deadline, now)}` : "passed";
}
