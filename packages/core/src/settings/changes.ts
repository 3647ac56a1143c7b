/** What becomes of settings when some of them are changed by name. */

/** Null takes a setting away, and what is not named stays. */
export function withChanges<Value>(
  settings: Readonly<Record<string, Value>>,
  changes: Readonly<Record<string, Value | null>>,
): Record<string, Value> {
  const merged: Record<string, Value | null> = { ...settings, ...changes };
  return Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, Value] => entry[1] !== null),
  );
}
