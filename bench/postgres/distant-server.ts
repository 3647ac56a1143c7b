/** A PostgreSQL server as if it were on another machine: every trip to it and back takes longer. */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import pg from "pg";
import { interleave, summarize } from "../measure.ts";

const trips = 1_000;

export class DistantServer implements AsyncDisposable {
  readonly #proxy: Worker;
  readonly #port: number;
  /** Milliseconds that a trip takes more than one without the proxy, as measured. */
  readonly added: number;

  /** `url`: of any database of the server. `wanted`: milliseconds that a trip should take more. */
  static async start(url: string, wanted: number): Promise<DistantServer> {
    const { port: target } = new URL(url);
    const proxy = new Worker(join(import.meta.dirname, "delaying-proxy.ts"), {
      workerData: { target: Number(target) },
    });
    const [{ port }] = (await once(proxy, "message")) as [AddressInfo];
    const measure = () => tripAdded(url, through(url, port));
    // The proxy itself takes a part of the time.
    const own = await measure();
    proxy.postMessage(Math.max(wanted - own, 0) / 2);
    await once(proxy, "message");
    return new DistantServer(proxy, port, await measure());
  }

  private constructor(proxy: Worker, port: number, added: number) {
    this.#proxy = proxy;
    this.#port = port;
    this.added = added;
  }

  /** The address of a database of the server, from this distance. */
  url(direct: string): string {
    return through(direct, this.#port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy.terminate();
  }
}

function through(direct: string, port: number): string {
  const url = new URL(direct);
  url.port = String(port);
  return url.href;
}

/** Milliseconds that `SELECT 1` takes more on the one than on the other, medians. */
async function tripAdded(near: string, far: string): Promise<number> {
  const clients = [new pg.Client(near), new pg.Client(far)] as const;
  try {
    for (const client of clients) await client.connect();
    const samples = await interleave(trips, {
      near: () => clients[0].query("SELECT 1"),
      far: () => clients[1].query("SELECT 1"),
    });
    return summarize(samples.far).median - summarize(samples.near).median;
  } finally {
    for (const client of clients) await client.end();
  }
}
