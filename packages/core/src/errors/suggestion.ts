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

/** A hint that names the nearest known word, or else all of them. */
export function suggest(word: string, known: readonly string[]): string {
  const nearest = suggestion(word, known);
  return nearest === null ? `Use one of: ${known.join(", ")}.` : `Did you mean "${nearest}"?`;
}

/** How many characters must be changed, added or removed. */
function distance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > right.length) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[right.length]!;
}
