/** Checks, before a run is created, that every passphrase that a gate asks for is set. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { command } from "@reprise/core/errors/hint";
import type { Graph } from "@reprise/workflow/graph";
import type { Engine } from "../../engine.ts";

export async function checkPassphrases({ store }: Engine, { nodes }: Graph): Promise<void> {
  const gates = nodes.flatMap((node) =>
    node.type === "gate" && node.passphrase !== null ? [{ ...node, name: node.passphrase }] : [],
  );
  if (gates.length === 0) return;
  const known = (await store.listPassphrases()).map(({ name }) => name);
  const unset = gates.find(({ name }) => !known.includes(name));
  if (unset === undefined) return;
  throw new NotFoundError(
    "no-passphrase",
    `The gate "${unset.id}" asks for the passphrase ${unset.name}, which is not set in this home.`,
    `Set it with ${command("passphrase set", unset.name)}.`,
  );
}
