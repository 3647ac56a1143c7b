/** "Did you mean": the known word that is nearest to one that is not known. */

export function suggestion(word: string, known: Iterable<string>): string | null {
  const wanted = word.toLowerCase();
  // A third of the word may differ, so that a short word is not taken for any other.
  let limit = Math.max(1, Math.floor(wanted.length / 3));
  let nearest: string | null = null;
  for (const candidate of known) {
    const changes = distance(wanted, candidate.toLowerCase());
    if (changes > limit || (changes === limit && nearest !== null)) continue;
    nearest = candidate;
    limit = changes;
  }
  return nearest;
}

/** Shorter names are as near to each other as different names are: `a` and `b`, `in` and `on`. */
const shortest = 4;

/**
 * The known word that this one is surely a misspelling of. Names that differ in their numbers alone, as
 * `part1` and `part2`, are different names.
 */
export function nearMiss(word: string, known: readonly string[]): string | null {
  if (word.length < shortest) return null;
  const letters = word.replaceAll(/\d/g, "");
  return suggestion(
    word,
    known.filter((name) => name.length >= shortest && name.replaceAll(/\d/g, "") !== letters),
  );
}

/** A hint that names the nearest known word, or else all of them. */
export function suggest(word: string, known: readonly string[]): string {
  const nearest = suggestion(word, known);
  return nearest === null ? `Use one of: ${known.join(", ")}.` : `Did you mean "${nearest}"?`;
}

/** How many characters must be changed, added, removed or swapped with their neighbour. */
function distance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > right.length) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      const swaps = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const swapped = swaps ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, swapped, row[j]! + 1, next[j - 1]! + 1));
    }
    before = row;
    row = next;
  }
  return row[right.length]!;
}
