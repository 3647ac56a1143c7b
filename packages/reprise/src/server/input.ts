/** The input of a call, from its path, its query and its body. */

import { parse } from "@reprise/core/api/parse";
import type { Route } from "@reprise/core/api/routes";
import { DeniedError, UsageError } from "@reprise/core/errors/errors";
import { withoutAliases } from "./aliases.ts";
import type { Caller } from "./gatekeeper.ts";

/** To wait longer, use events. */
const maxWait = 3600;

export interface RouteInput {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Input {
  /** Parsed with the route's schema. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Seconds; null unless given. */
  readonly wait: number | null;
}

export function inputOf(route: Route, asked: RouteInput, caller: Caller): Input {
  const { wait, ...query } = singleValues(asked.query);
  const waits = route.long !== null || route.rests !== null;
  if (wait !== undefined && !waits) throw badInput("wait", "is not known here");
  if (route.method === "POST")
    for (const name of Object.keys(query)) throw badInput(name, "must be in the body");
  const given = { ...query, ...withoutAliases(route, asked.body) };
  for (const [name, value] of Object.entries(asked.path))
    if (Object.hasOwn(given, name) && given[name] !== value)
      throw badInput(name, "differs from the one in the path");
  const values = { ...given, ...asked.path };
  return {
    values: parse(route.input(), route.signed ? signedBy(caller, values) : values),
    wait: wait === undefined ? null : secondsOf(wait),
  };
}

/** Names in a path become file names and arguments of commands, so separators and dots are refused. */
export function checkPath(path: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(path))
    if (/[/\\\p{Cc}]/u.test(value) || /^\.{0,2}$/.test(value))
      throw badInput(name, "is not a name");
}

export function singleValues(query: URLSearchParams): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  for (const [name, value] of query) {
    if (Object.hasOwn(values, name)) throw badInput(name, "is given twice");
    if (value.includes("\0")) throw badInput(name, "is not a text");
    values[name] = value;
  }
  return values;
}

/** Only the home's own token may act in the name of others. */
export function signedBy(caller: Caller, values: Readonly<Record<string, unknown>>) {
  const by = values.by ?? caller.name;
  if (caller.owner || by === caller.name) return { ...values, by };
  throw new DeniedError(
    "other-name",
    `${caller.name} cannot act in the name of ${JSON.stringify(by)}.`,
    "Leave `by` out; nothing was changed.",
  );
}

function secondsOf(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= maxWait) return seconds;
  throw badInput("wait", `is not a number of seconds from 0 to ${maxWait}`);
}

function badInput(name: string, what: string): UsageError {
  return new UsageError(
    "bad-input",
    `"${name.slice(0, 60)}" ${what}.`,
    "Correct it and try again; nothing was changed.",
  );
}
