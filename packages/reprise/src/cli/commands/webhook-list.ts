/** `reprise webhook list`: a line for each webhook, without its secret. */

import { listWebhooks, type WebhookView } from "../../server/webhook/hooks.ts";
import type { Cli } from "../cli.ts";
import { table } from "../format/table.ts";
import { age } from "../format/text.ts";

export async function run(cli: Cli): Promise<number> {
  const webhooks = await cli.withHome(({ engine }) => listWebhooks(engine.store));
  if (cli.json) cli.document(webhooks);
  else if (webhooks.length === 0)
    cli.remark("There are no webhooks yet. Add one:\n  reprise webhook add URL --event run.ended");
  else for (const line of lines(cli, webhooks)) cli.out.line(line);
  return 0;
}

function lines(cli: Cli, webhooks: readonly WebhookView[]): string[] {
  const now = cli.now();
  return table<WebhookView>(
    cli.out,
    [
      { title: "ID", cell: ({ id }) => id, style: () => "bold" },
      { title: "DIRECTION", cell: ({ direction }) => direction },
      { title: "EVENTS", cell: ({ events }) => events.join(",") || "-", shrink: "end" },
      { title: "URL", cell: ({ id, url }) => url ?? `/v1/hooks/${id}`, shrink: "middle" },
      { title: "AGE", cell: ({ createdAt }) => age(createdAt, now), align: "right" },
    ],
    webhooks,
  );
}
