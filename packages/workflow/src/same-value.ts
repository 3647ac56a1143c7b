/** Compares the values of YAML documents. */

/** Whatever the order of the keys. */
export function sameValue(left: unknown, right: unknown): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null)
    return Object.is(left, right);
  const [keys, others] = [Object.keys(left), Object.keys(right)];
  return (
    Array.isArray(left) === Array.isArray(right) &&
    keys.length === others.length &&
    keys.every((key) => key in right && sameValue(left[key as never], right[key as never]))
  );
}
