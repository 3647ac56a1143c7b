/** Listens for HTTP requests, on loopback by default. */

import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { DeniedError, UsageError } from "@reprise/core/errors/errors";
import { writingEvents } from "./event-response.ts";
import { isLoopback } from "./hosts.ts";

export interface ListenOptions {
  readonly app: { readonly fetch: (request: Request) => Response | Promise<Response> };
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
  /** Whether clients need a token. */
  readonly guarded: boolean;
  /** How long a client may leave events unread before it is disconnected, in milliseconds. */
  readonly readerPatience?: number;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** What others who reach the server can do; null when it listens on loopback only. */
  readonly exposes: string | null;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** @throws UsageError `no-token`, `port-in-use`, `bad-host`; @throws DeniedError `port-denied` */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { app, host = "127.0.0.1", port, guarded } = options;
  if (!isLoopback(host) && !guarded)
    throw new UsageError(
      "no-token",
      `Everyone who can reach ${host} could start programs on this machine.`,
      "Serve it with a token, or on 127.0.0.1.",
    );
  const server = createAdaptorServer({
    fetch: writingEvents((request) => app.fetch(request), options.readerPatience),
    overrideGlobalObjects: false,
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(listenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  const name = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${name}:${bound}`,
    port: bound,
    exposes: isLoopback(host) ? null : exposure(name, bound),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}

function exposure(name: string, port: number): string {
  return (
    `Everyone who can reach ${name}:${port} and has a token can read every conversation; with the role operator ` +
    "they can start agents and shell commands on this machine. Connections are not encrypted."
  );
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const free = "Choose another with --port, or stop the program that uses it.";
  if (error.code === "EADDRINUSE")
    return new UsageError("port-in-use", `Port ${port} of ${host} is in use.`, free);
  if (error.code === "EACCES")
    return new DeniedError("port-denied", `Port ${port} cannot be used (EACCES).`, free);
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND")
    return new UsageError(
      "bad-host",
      `${host} is not an address of this machine (${error.code}).`,
      "Name one of its addresses with --host.",
    );
  return error;
}
