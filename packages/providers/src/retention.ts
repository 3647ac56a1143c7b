/** Reads from an agent program's settings after how many days it deletes sessions. */

import { readParsed } from "./files.ts";
import type { Retention } from "./provider.ts";

/** What claude (2.1.325) and gemini (0.61) do without a setting. */
const defaultDays = 30;
const day = 24 * 60 * 60 * 1000;

interface RetentionSetting {
  readonly name: string;
  /** Undefined if it is not set; null if nothing is deleted. */
  days(settings: Readonly<Record<string, unknown>>): number | null | undefined;
}

/** Settings that cannot be read count as those that are not set. */
export async function retentionDays(
  file: string,
  { name, days }: RetentionSetting,
): Promise<Retention | null> {
  const settings = await readParsed<Record<string, unknown>>(file);
  const set = days(settings);
  if (set === null) return null;
  return set === undefined
    ? { after: defaultDays * day, why: `${name} is not set: ${defaultDays} days` }
    : { after: set * day, why: `${name}: ${Math.round(set * 10) / 10} days in ${file}` };
}
