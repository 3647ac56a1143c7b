/** Changes to the values of a document, each at one place. */

import type { Path } from "../parse/source.ts";

export type DocumentChange =
  /** Replaces the value, adds the key behind the others, or adds the item at the end of the list. */
  | { readonly do: "set"; readonly path: Path; readonly value: unknown }
  | { readonly do: "remove"; readonly path: Path }
  /** Gives the key another name; it stays where it is. */
  | { readonly do: "rename"; readonly path: Path; readonly to: string };

/** The values after a change; those before stay as they are. */
export function applyToValue(value: unknown, change: DocumentChange): unknown {
  const [step, ...rest] = change.path;
  if (step === undefined) return change.do === "set" ? change.value : value;
  const inner = rest.length > 0 ? applyToValue(at(value, step), { ...change, path: rest }) : null;
  if (Array.isArray(value)) {
    const index = Number(step);
    if (rest.length > 0) return value.with(index, inner);
    if (change.do === "remove") return value.toSpliced(index, 1);
    return change.do === "set" ? value.toSpliced(index, 1, change.value) : value;
  }
  const key = String(step);
  const entries = Object.entries((value ?? {}) as Record<string, unknown>);
  if (rest.length > 0) return Object.fromEntries(replaced(entries, key, [key, inner]));
  switch (change.do) {
    case "set":
      return Object.fromEntries(replaced(entries, key, [key, change.value]));
    case "remove":
      return Object.fromEntries(entries.filter(([name]) => name !== key));
    case "rename":
      return Object.fromEntries(
        entries.map(([name, own]) => [name === key ? change.to : name, own]),
      );
  }
}

type Entries = readonly (readonly [string, unknown])[];

function replaced(entries: Entries, key: string, entry: readonly [string, unknown]): Entries {
  return entries.some(([name]) => name === key)
    ? entries.map((own) => (own[0] === key ? entry : own))
    : [...entries, entry];
}

/** What is at a place; undefined if there is nothing. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(at, value);
}

function at(holder: unknown, step: string | number): unknown {
  if (typeof holder !== "object" || holder === null) return undefined;
  return Object.hasOwn(holder, step)
    ? (holder as Record<string | number, unknown>)[step]
    : undefined;
}
