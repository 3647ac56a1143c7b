/** `reprise webhook remove`: removes a webhook and its pending deliveries. */

import { actor } from "@reprise/engine/engine";
import { findWebhook } from "../../server/webhook/hooks.ts";
import type { Cli } from "../cli.ts";

export async function run(cli: Cli, wanted: string): Promise<number> {
  const webhook = await cli.withHome(async ({ engine }) => {
    const found = await findWebhook(engine.store, wanted);
    await engine.store.removeWebhook({ id: found.id, by: actor(engine, null), at: cli.now() });
    return found;
  });
  if (cli.json) cli.document(webhook);
  else cli.out.line(`Removed webhook ${webhook.id}.`);
  return 0;
}
