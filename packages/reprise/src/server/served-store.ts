/** The verbs of the store that commands use through the server of a home on PostgreSQL, besides its API. */

import type { Store } from "@reprise/store/store";

export const servedVerbs = [
  ...(["listPassphrases", "tryPassphrase", "clearPassphraseTries", "setPassphrase"] as const),
  ...(["createWebhook", "listWebhooks", "removeWebhook"] as const),
  ...(["listDeliveries", "replayDelivery"] as const),
  ...(["lastEvent", "listOpenTurns", "listItems"] as const),
] satisfies readonly (keyof Store)[];

type ServedVerb = (typeof servedVerbs)[number];
export type ServedStore = Pick<Store, ServedVerb>;

export const storePath = "/v1/own/store";

/** The same verbs, through `ask`, which sends one to the server. */
export function servedStore(
  ask: (verb: string, argument: unknown) => Promise<unknown>,
): ServedStore {
  return Object.fromEntries(
    servedVerbs.map((verb) => [verb, (argument: unknown) => ask(verb, argument)]),
  ) as unknown as ServedStore;
}
