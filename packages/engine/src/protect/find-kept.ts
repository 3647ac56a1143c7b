/** Finds a kept session by its id or the beginning of it. */

import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { option, verb } from "@reprise/core/errors/hint";
import type { KeptCopy } from "@reprise/store/contract/kept";
import type { Engine } from "../engine.ts";

const maxNamed = 10;

/** A copy that this host made comes before those of other hosts. */
export async function findKept(
  { store, home }: Engine,
  { id, provider = null }: { readonly id: string; readonly provider?: string | null | undefined },
): Promise<KeptCopy> {
  const all = (await store.findKept({ id, limit: maxNamed })).filter(
    (each) => provider === null || each.provider === provider,
  );
  const own = all.filter(({ host }) => host === home.hostId);
  const [found, ...others] = own.length > 0 ? own : all;
  if (found === undefined)
    throw new NotFoundError(
      "not-kept",
      `No session is kept whose id begins with "${id}"${provider === null ? "" : ` and whose provider is ${provider}`}.`,
      `Count what is kept with ${verb("protect.status")}; sessions that Reprise started are in ${verb("sessions.list")}.`,
    );
  if (others.length > 0)
    throw new UsageError(
      "ambiguous-id",
      `${others.length + 1} kept sessions have this id or begin with it: ${[found, ...others].map((each) => `${each.id} of ${each.provider} in ${each.place}`).join(", ")}.`,
      `Give the whole id, and the provider with ${option("provider")}.`,
    );
  return found;
}
