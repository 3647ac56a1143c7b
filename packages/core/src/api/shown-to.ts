/**
 * Ids of provider sessions in answers and events. An operator gets them whole; other roles get a prefix, which is
 * enough to tell two sessions apart and too little to continue one.
 */

import { isAllowed, type Role } from "./role.ts";

const prefix = 8;

/** A shorter id could be part of an ordinary word, so it is not looked for in texts. */
const shortestInTexts = 12;

/** `value` as a caller with this role may see it; `value` itself if there is nothing to hide. */
export function shownTo<Value>(role: Role, value: Value): Value {
  if (isAllowed(role, "operator")) return value;
  const ids = new Set<string>();
  collectIds(value, ids);
  return ids.size === 0 ? value : (shortened(value, ids) as Value);
}

/** Every `handle`, which is an id or an object with one. */
function collectIds(value: unknown, ids: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const id = name === "handle" ? idOf(inner) : null;
    if (id !== null) ids.add(id);
    collectIds(inner, ids);
  }
}

function idOf(handle: unknown): string | null {
  if (typeof handle === "string") return handle;
  const id = (handle as { id?: unknown } | null | undefined)?.id;
  return typeof id === "string" ? id : null;
}

/** Also in texts: a command line, a message of the agent's program and a path may have the id. */
function shortened(value: unknown, ids: ReadonlySet<string>): unknown {
  if (typeof value === "string") {
    if (ids.has(value)) return shortId(value);
    const inTexts = [...ids].filter((id) => id.length >= shortestInTexts);
    return inTexts.reduce((text, id) => text.replaceAll(id, shortId(id)), value);
  }
  if (Array.isArray(value)) return value.map((inner) => shortened(inner, ids));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, shortened(inner, ids)]),
  );
}

function shortId(id: string): string {
  return `${id.slice(0, Math.min(prefix, Math.floor(id.length / 2)))}…`;
}
