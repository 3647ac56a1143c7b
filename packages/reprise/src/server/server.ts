/** Listens for callers, on loopback unless it is told otherwise. */

import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { DeniedError, UsageError } from "@reprise/core/errors/errors";
import { writingEvents } from "./event-response.ts";
import { isLoopback } from "./hosts.ts";

export interface ServerOptions {
  readonly app: { readonly fetch: (request: Request) => Response | Promise<Response> };
  readonly host?: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** Whether callers need a token. */
  readonly guarded: boolean;
  /** How long a reader of events may take nothing, in milliseconds. */
  readonly readerPatience?: number;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** What others can do who reach it; null when nobody else can. */
  readonly exposes: string | null;
  /** Ends what is still connected. */
  close(): Promise<void>;
}

/** @throws UsageError `no-token`, `port-in-use`, `bad-host`; @throws DeniedError `port-denied` */
export async function startServer(options: ServerOptions): Promise<Listening> {
  const { app, host = "127.0.0.1", port, guarded } = options;
  if (!isLoopback(host) && !guarded)
    throw new UsageError(
      "no-token",
      `Everybody who reaches ${host} could start programs on this machine.`,
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
    `Whoever reaches ${name}:${port} and has a token can read every conversation, and one with the role ` +
    "operator can start agents and shell commands on this machine. Nothing is encrypted on the way."
  );
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const free = "Choose another with --port, or stop what is there.";
  if (error.code === "EADDRINUSE")
    return new UsageError("port-in-use", `Port ${port} of ${host} is in use.`, free);
  if (error.code === "EACCES")
    return new DeniedError("port-denied", `Port ${port} can not be used (EACCES).`, free);
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND")
    return new UsageError(
      "bad-host",
      `${host} is no address of this machine (${error.code}).`,
      "Name one of its addresses with --host.",
    );
  return error;
}
