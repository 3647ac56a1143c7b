/** Turns the input of a call into the path, query and body of its request. */

import type { Route } from "@reprise/core/api/routes";
import { UsageError } from "@reprise/core/errors/errors";

export interface Address {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Null if the rest of the input is the query. */
  readonly body: object | null;
}

export function addressOf(route: Pick<Route, "method" | "path">, input: object): Address {
  const rest = new Map(Object.entries(input).filter(([, value]) => value != null));
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name) ?? "");
    rest.delete(name);
    return segment(value, name);
  });
  if (route.method === "POST") return { path, query: {}, body: Object.fromEntries(rest) };
  const query = Object.fromEntries([...rest].map(([name, value]) => [name, String(value)]));
  return { path, query, body: null };
}

/** In a URL `.` and `..` mean steps through folders, even if they are escaped. */
function segment(value: string, name: string): string {
  if (!/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
  throw new UsageError(
    "bad-input",
    `"${name}" is "${value}", which names nothing.`,
    "Correct it and try again; nothing was changed.",
  );
}
