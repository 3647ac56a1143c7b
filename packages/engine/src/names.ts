/** The names in a home, for shell completion: quick, and without changing the home. */

import { type Name, readNames } from "@reprise/store/sqlite/names";
import { databaseIn } from "./home.ts";

/** More than a person would look through. */
const limit = 200;

export type NameSource = "sessions" | "agents" | "runs" | "items" | "tokens" | "webhooks";

/** The names that begin with `prefix`; none if they cannot be read. */
export function namesIn(home: string, source: NameSource, prefix: string): readonly Name[] {
  try {
    return readNames(databaseIn(home), source, { prefix, limit });
  } catch {
    return [];
  }
}
