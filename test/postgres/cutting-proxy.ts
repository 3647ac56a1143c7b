/** A proxy in front of a PostgreSQL server that cuts a connection at a statement. */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * `before`: the server never sees the statement. `after`: it has committed, and the client never sees the answer.
 * `unnoticed`: the server never sees the statement, nor that the client is gone. `stalled`: the server never sees the
 * statement, and the client waits.
 */
export type Cut = "before" | "after" | "unnoticed" | "stalled";

export class CuttingProxy {
  readonly #server: Server;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #next: { readonly cut: Cut; readonly statement: string } | null = null;
  #isFrozen = false;
  #paused: PromiseWithResolvers<void> | null = null;
  /** How many there were so far. */
  connections = 0;

  static async start(target: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => void this.#accept(client));
  }

  /** The address of a database, with this proxy in between. */
  url(direct: string): string {
    const url = new URL(direct);
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** `statement`: text that its first sending contains. */
  cutNext(cut: Cut, statement = "COMMIT\0"): void {
    this.#next = { cut, statement };
  }

  /** From now on nothing passes, and nothing is closed, as when the server has lost its power. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** New connections wait until `resume`. */
  pause(): void {
    this.#paused = Promise.withResolvers();
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = null;
  }

  /** False until the cut that was asked for has happened. */
  get hasCut(): boolean {
    return this.#next === null;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, "close");
  }

  async #accept(client: Socket): Promise<void> {
    this.connections += 1;
    await this.#paused?.promise;
    const server = connect(this.#target, "127.0.0.1");
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
    }
    let cut: Cut | null = null;
    let answer = "";
    server.on("data", (data) => {
      if (this.#isFrozen) return;
      if (cut === null || cut === "stalled") client.write(data);
      else answer += data.toString("latin1");
      if (cut === "after" && answer.includes("COMMIT\0")) {
        client.destroy();
        server.destroy();
      }
    });
    client.on("data", (data) => {
      if (this.#isFrozen) return;
      if (this.#next !== null && data.includes(this.#next.statement)) {
        cut = this.#next.cut;
        this.#next = null;
        if (cut === "before" || cut === "unnoticed") client.destroy();
        if (cut === "before") server.destroy();
      }
      if (cut === null || cut === "after") server.write(data);
    });
    client.on("close", () => {
      if (cut !== "unnoticed") server.end();
    });
    server.on("close", () => client.end());
  }
}
