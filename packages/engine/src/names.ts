/** The names that a home knows, for completion: quick, and without any effect on the home. */

import { builtInProviders } from "@reprise/providers/registry";
import { type Name, readNames } from "@reprise/store/sqlite/names";
import { databaseIn } from "./home.ts";

/** More than anybody looks through. */
const limit = 200;

export type NameSource =
  | "sessions"
  | "agents"
  | "providers"
  | "runs"
  | "items"
  | "tokens"
  | "webhooks";

/** Those that begin with `prefix`; none when they cannot be read. */
export function namesIn(home: string, source: NameSource, prefix: string): readonly Name[] {
  if (source === "providers")
    return builtInProviders
      .map(({ manifest }) => manifest.name)
      .filter((name) => name.startsWith(prefix))
      .map((name) => ({ name, about: "" }));
  try {
    return readNames(databaseIn(home), source, { prefix, limit });
  } catch {
    return [];
  }
}
