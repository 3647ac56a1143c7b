/** `reprise webhook replay`: delivers an event again. */

import type { Cli } from "../cli.ts";

export async function run(cli: Cli, id: string): Promise<number> {
  const delivery = await cli.withHome(({ engine }) =>
    engine.store.replayDelivery({ id, at: cli.now() }),
  );
  if (cli.json) cli.document(delivery);
  else cli.out.line(`Delivery ${delivery.id} will be sent again.`);
  return 0;
}
