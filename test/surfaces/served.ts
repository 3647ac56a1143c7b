/** A home that is served on a socket of its own, as `reprise up` serves it. */

import { connect } from "@reprise/client/connect";
import type { ConnectOptions } from "@reprise/client/connection";
import type { Reprise } from "@reprise/core/api/reprise";
import { openEngine } from "@reprise/engine/open-reprise";
import type { Store } from "@reprise/store/store";
import { createApp } from "../../packages/reprise/src/server/app.ts";
import { ownHosts } from "../../packages/reprise/src/server/hosts.ts";
import { InFlight } from "../../packages/reprise/src/server/in-flight.ts";
import { listen } from "../../packages/reprise/src/server/listen.ts";

export const token = "surfaces-surfaces-surfaces-surfaces";

export interface Served {
  readonly url: string;
  readonly port: number;
  /** The library behind it. */
  readonly reprise: Reprise;
  readonly store: Store;
  connect(options?: ConnectOptions): Promise<Reprise>;
  /** Closes everything and stops listening. */
  close(): Promise<void>;
}

export async function serve(
  options: {
    readonly home: string;
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
  },
  port = 0,
): Promise<Served> {
  const { engine, reprise } = await openEngine(options);
  const work = new InFlight();
  const app = createApp({
    reprise,
    work,
    store: engine.store,
    token,
    owner: "ann",
    hosts: ownHosts("127.0.0.1"),
    about: { version: "0.1.0", home: "test", startedAt: engine.now() },
    page: null,
    log: () => {},
    now: engine.now,
  });
  const server = await listen({ app, port, guarded: true });
  return {
    url: server.url,
    port: server.port,
    reprise,
    store: engine.store,
    connect: (more) => connect(server.url, { token, ...more }),
    async close() {
      await work.stop();
      await server.close();
      await reprise.close();
    },
  };
}
