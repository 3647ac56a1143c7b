/** Reads one stream of events on one connection, and keeps the number of each as it came. */

export class EventReader {
  readonly seen: number[] = [];
  /** Why it ended by itself; null while it reads. */
  problem: string | null = null;
  readonly #ending = new AbortController();
  #arrived: { readonly seq: number; readonly resolve: () => void } | null = null;

  /** Comes back when the server has begun to answer. */
  static async open(url: string, headers: Record<string, string>): Promise<EventReader> {
    const reader = new EventReader();
    const signal = reader.#ending.signal;
    const response = await fetch(url, { headers, signal });
    if (response.status !== 200 || !response.body) throw new Error(`${url}: ${response.status}`);
    reader.#read(response.body);
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
    this.#ending.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = "";
    try {
      for await (const part of body.pipeThrough(new TextDecoderStream())) {
        const frames = (rest + part).split("\n\n");
        rest = frames.pop() ?? "";
        for (const frame of frames) this.#take(frame);
      }
      this.problem = "the stream ended";
    } catch (error) {
      this.problem = String(error);
    }
    this.#arrived?.resolve();
  }

  #take(frame: string): void {
    const seq = /^id: (\d+)$/m.exec(frame)?.[1];
    if (seq === undefined) return;
    this.seen.push(Number(seq));
    if (this.#arrived && Number(seq) >= this.#arrived.seq) this.#arrived.resolve();
  }
}
