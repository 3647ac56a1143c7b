/**
 * The host names that requests may have. A foreign site can point its own name at this server, and a browser reports
 * which page sends a request, so foreign names and origins are refused before anything else is checked.
 */

import { hostname, networkInterfaces } from "node:os";
import { DeniedError } from "@reprise/core/errors/errors";

const loopback = ["localhost", "127.0.0.1", "[::1]"];
const anywhere = ["0.0.0.0", "[::]"];

export function isLoopback(host: string): boolean {
  const name = asInUrl(host);
  return loopback.includes(name) || /^127(\.\d{1,3}){3}$/.test(name);
}

/** The names of a server that is bound to `host`. */
export function ownHosts(host: string): string[] {
  const name = asInUrl(host);
  if (!anywhere.includes(name)) return [...new Set([...loopback, name])];
  const addresses = Object.values(networkInterfaces()).flatMap((known) => known ?? []);
  const names = addresses.map(({ address }) => asInUrl(address.split("%")[0] ?? ""));
  return [...new Set([...loopback, hostname().toLowerCase(), ...names])];
}

/**
 * `publicUrl` is the address of a proxy in front of the server. The proxy may forward its own name or use ours;
 * pages come from its address in both cases.
 * @throws DeniedError `foreign-host`, `foreign-origin`
 */
export function requireOwnHost(
  request: Request,
  hosts: readonly string[],
  publicUrl: string | null = null,
): void {
  const { host: asked } = new URL(request.url);
  const host = request.headers.get("host") ?? asked;
  const front = publicUrl === null ? null : new URL(publicUrl);
  const isOwn = (name: string) =>
    hosts.includes(nameIn(name)) || name.toLowerCase() === front?.host.toLowerCase();
  if (![host, asked].every(isOwn))
    throw new DeniedError(
      "foreign-host",
      "The request has a host name that is not one of this server's.",
      `Use ${[...hosts, ...(front ? [front.host] : [])].join(", ")}; --host adds another name, and --public-url that of a proxy.`,
    );
  const origin = request.headers.get("origin");
  if (origin === null || (front !== null && origin.toLowerCase() === front.origin)) return;
  // For the public host name only the public URL is allowed, including its scheme.
  if (hostOf(origin) !== host.toLowerCase() || hostOf(origin) === front?.host)
    throw new DeniedError(
      "foreign-origin",
      "Pages of other servers may not use this one.",
      "Open the page of this server itself; behind a proxy, start the server with --public-url.",
    );
}

function nameIn(host: string): string {
  return host.replace(/:\d+$/, "").toLowerCase();
}

function hostOf(origin: string): string | null {
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase() ?? null;
}

function asInUrl(host: string): string {
  const name = host.toLowerCase();
  return name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
}
