/** Loaded into the server before it starts: asked by its parent, it collects garbage and tells what is left. */

export interface Memory {
  /** What its values take, in bytes: on the heap and beside it. */
  readonly live: number;
  /** What the system counts for the process, in bytes. */
  readonly resident: number;
}

process.on("message", () => {
  globalThis.gc?.();
  // What the finalizers let go is found by the second, once they have run.
  setTimeout(() => {
    globalThis.gc?.();
    const { heapUsed, external, rss } = process.memoryUsage();
    process.send?.({ live: heapUsed + external, resident: rss } satisfies Memory);
  }, 100);
});
process.channel?.unref();
