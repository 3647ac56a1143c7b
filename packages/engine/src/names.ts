/** The names in a home, for shell completion: quick, and without changing the home. */

import { builtInProviders } from "@reprise/providers/registry";
import { type Name, readNames } from "@reprise/store/sqlite/names";
import { databaseIn } from "./home.ts";

/** More than a person would look through. */
const limit = 200;

export type NameSource =
  | "sessions"
  | "agents"
  | "providers"
  | "runs"
  | "items"
  | "tokens"
  | "webhooks";

/** The names that begin with `prefix`; none if they cannot be read. */
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
