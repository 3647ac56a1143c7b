/** Applies changes to settings by name. */

/** Null removes a setting; settings that are not named stay. */
export function withChanges<Value>(
  settings: Readonly<Record<string, Value>>,
  changes: Readonly<Record<string, Value | null>>,
): Record<string, Value> {
  const merged: Record<string, Value | null> = { ...settings, ...changes };
  return Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, Value] => entry[1] !== null),
  );
}
