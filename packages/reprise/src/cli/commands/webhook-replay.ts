/** `reprise webhook replay`: an event is told once more. */

import type { Cli } from "../cli.ts";

export async function run(cli: Cli, id: string): Promise<number> {
  const delivery = await cli.withHome(({ engine }) =>
    engine.store.replayDelivery({ id, at: cli.now() }),
  );
  if (cli.json) cli.document(delivery);
  else cli.out.line(`Delivery ${delivery.id} is due once more.`);
  return 0;
}
