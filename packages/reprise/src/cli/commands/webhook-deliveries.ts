/** `reprise webhook deliveries`: a line for each delivery of an event to a webhook. */

import type { Delivery } from "@reprise/store/contract/webhooks";
import { findWebhook } from "../../server/webhook/hooks.ts";
import type { Cli } from "../cli.ts";
import { table } from "../format/table.ts";
import { age, until } from "../format/text.ts";

const many = 50;

export async function run(
  cli: Cli,
  wanted: string | undefined,
  { limit = many }: { readonly limit?: number },
): Promise<number> {
  const deliveries = await cli.withHome(async ({ engine: { store } }) => {
    const of = wanted === undefined ? {} : { webhook: (await findWebhook(store, wanted)).id };
    return store.listDeliveries({ ...of, limit });
  });
  if (cli.json) cli.document(deliveries);
  else if (deliveries.length === 0) cli.remark("There are no deliveries yet.");
  else for (const line of lines(cli, deliveries)) cli.out.line(line);
  return 0;
}

function lines(cli: Cli, deliveries: readonly Delivery[]): string[] {
  const now = cli.now();
  return table<Delivery>(
    cli.out,
    [
      { title: "ID", cell: ({ id }) => id, style: () => "bold" },
      { title: "WEBHOOK", cell: ({ webhook }) => webhook },
      { title: "EVENT", cell: ({ type, seq }) => `${type} #${seq}`, shrink: "end" },
      { title: "STATE", cell: ({ state }) => state },
      { title: "TRIES", cell: ({ tries }) => String(tries), align: "right" },
      {
        title: "NEXT",
        cell: ({ nextAt }) => (nextAt === null ? "-" : `in ${until(nextAt, now)}`),
      },
      { title: "AGE", cell: ({ createdAt }) => age(createdAt, now), align: "right" },
      { title: "", cell: ({ error }) => error ?? "", style: () => "red", shrink: "end" },
    ],
    deliveries,
  );
}
