/** Reads one stream of events on one connection, and keeps the number of each as it came. */

import { once } from "node:events";
import { type ClientRequest, get, type IncomingMessage } from "node:http";

export class EventReader {
  readonly seen: number[] = [];
  /** Why it ended by itself; null while it reads. */
  problem: string | null = null;
  readonly #request: ClientRequest;
  #rest = "";
  #arrived: { readonly seq: number; readonly resolve: () => void } | null = null;

  private constructor(request: ClientRequest) {
    this.#request = request;
  }

  /** Comes back when the server has begun to answer. */
  static async open(url: string, headers: Record<string, string>): Promise<EventReader> {
    // Without a pool: every reader has a connection of its own.
    const request = get(url, { headers, agent: false });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
    const reader = new EventReader(request);
    response.setEncoding("utf8").on("data", (part: string) => reader.#take(part));
    response.on("error", (error) => reader.#end(String(error)));
    response.on("close", () => reader.#end("the stream ended"));
    return reader;
  }

  /** Waits until this event came, or the stream broke. */
  async reach(seq: number): Promise<void> {
    if (this.problem !== null || (this.seen.at(-1) ?? 0) >= seq) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#arrived = { seq, resolve };
    await promise;
  }

  close(): void {
    this.#request.destroy();
  }

  #take(part: string): void {
    const frames = (this.#rest + part).split("\n\n");
    this.#rest = frames.pop() ?? "";
    for (const frame of frames) {
      const seq = Number(/^id: (\d+)$/m.exec(frame)?.[1] ?? Number.NaN);
      if (Number.isNaN(seq)) continue;
      this.seen.push(seq);
      if (this.#arrived && seq >= this.#arrived.seq) this.#arrived.resolve();
    }
  }

  #end(problem: string): void {
    this.problem ??= problem;
    this.#arrived?.resolve();
  }
}
