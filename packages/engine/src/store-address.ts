/** The address of a PostgreSQL database. It may have a password in memory, and never in what is stored or shown. */

import { UsageError } from "@reprise/core/errors/errors";

export interface StoreAddress {
  readonly url: string;
  /** Null when it has none. */
  readonly password: string | null;
  /** Host, port and database, for display. */
  readonly name: string;
}

const example = "postgres://user@host:5432/database";

/**
 * @throws UsageError `bad-store-address`. Its message has nothing of the address, which may contain a password.
 */
export function parseStoreAddress(text: string): StoreAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw badAddress("is not a URL");
  if (url.protocol !== "postgres:" && url.protocol !== "postgresql:")
    throw badAddress("does not begin with postgres://");
  if (url.host === "" && !url.searchParams.has("host")) throw badAddress("names no host");
  if (url.pathname.length < 2) throw badAddress("names no database");
  const password = url.searchParams.get("password") ?? url.password;
  return {
    url: text,
    password: password === "" ? null : decoded(password),
    name: `${url.host || url.searchParams.get("host")}${url.pathname}`,
  };
}

export function withoutPassword(text: string): string {
  const url = new URL(parseStoreAddress(text).url);
  url.password = "";
  url.searchParams.delete("password");
  return url.href;
}

/** As a parameter, which an address of a socket can have too. */
export function withPassword(text: string, password: string): string {
  const url = new URL(text);
  url.searchParams.set("password", password);
  return url.href;
}

/** Whether both lead to one database; user, password and the way to connect may differ. */
export function isSameDatabase(one: string, other: string): boolean {
  return placeOf(one) === placeOf(other);
}

function placeOf(text: string): string {
  const url = new URL(text);
  const host = url.hostname || url.searchParams.get("host");
  const port = url.port || url.searchParams.get("port") || "5432";
  return [host, port, url.pathname].join(" ");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function badAddress(why: string): UsageError {
  return new UsageError(
    "bad-store-address",
    `The address of the database ${why}.`,
    `Write it as in ${example}.`,
  );
}
