/**
 * The thread of a distant server: passes what comes on to the target after a delay. It has a thread of its own, so that
 * it does not share the event loop of what is measured.
 */

import { connect, createServer, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

interface Delayed {
  /** When it is passed on. */
  readonly at: number;
  readonly to: Socket;
  readonly data: Buffer;
}

const { target } = workerData as { readonly target: number };
const delayed: Delayed[] = [];
/** Milliseconds in each direction. */
let delay = 0;

function passLater(to: Socket, data: Buffer): void {
  delayed.push({ at: performance.now() + delay, to, data });
  if (delayed.length === 1) passDue();
}

/** A timer waits for whole milliseconds, so this looks again in every iteration of the event loop instead. */
function passDue(): void {
  while (delayed.length > 0 && delayed[0]!.at <= performance.now()) {
    const { to, data } = delayed.shift()!;
    to.write(data);
  }
  if (delayed.length > 0) setImmediate(passDue);
}

const proxy = createServer((client) => {
  const server = connect(target, "127.0.0.1");
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.setNoDelay(true);
    from.on("data", (data: Buffer) => passLater(to, data));
    from.on("error", () => {});
    from.on("close", () => to.end());
  }
});

proxy.listen(0, "127.0.0.1", () => parentPort!.postMessage(proxy.address()));

parentPort!.on("message", (milliseconds: number) => {
  delay = milliseconds;
  parentPort!.postMessage("delayed");
});
