/** Compares the version of an agent's program with those that its provider was tested with. */

import type { Runtime } from "@reprise/core/session/pin";
import type { ProviderManifest } from "./manifest.ts";

/** The newest tested version if the program is newer; null if it is not, or is another product. */
export function newestTested(
  { program }: Pick<ProviderManifest, "program">,
  { product, version }: Pick<Runtime, "product" | "version">,
): string | null {
  const newest = program.tested.toSorted(compareVersions).at(-1);
  if (newest === undefined || product !== program.product) return null;
  return compareVersions(version, newest) > 0 ? newest : null;
}

/** Compares the numbers only and ignores a suffix such as `-beta`. */
function compareVersions(one: string, other: string): number {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(version: string): number[] {
  const [numbers = ""] = /\d+(\.\d+)*/.exec(version) ?? [];
  return numbers === "" ? [] : numbers.split(".").map(Number);
}
