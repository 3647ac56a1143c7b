/**
 * The thread that calls the code of function nodes, one call after the other, each in the realm. It
 * blocks while there is nothing to do: a bell in shared memory wakes it, and for a moment after a call
 * it listens without sleeping, since the next step of the same run may follow at once.
 */

import { type MessagePort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { type Answer, FunctionRealm } from "./function-realm.ts";

/** Inputs and outputs travel as texts of JSON. */
export interface FunctionCall {
  readonly id: number;
  readonly code: string;
  readonly inputs: string;
}

export type FunctionResult = Answer & { readonly id: number };

export interface HostData {
  readonly port: MessagePort;
  /** How often each side has sent something: first whoever calls, then this one. */
  readonly bell: Int32Array;
  /** Milliseconds of listening before it sleeps. */
  readonly awake: number;
}

const { port, bell, awake } = workerData as HostData;
let realm = await FunctionRealm.open();
let heard = 0;

/** Until there is something that was not looked at yet. */
function listen(): void {
  const until = performance.now() + awake;
  while (Atomics.load(bell, 0) === heard)
    if (performance.now() > until) Atomics.wait(bell, 0, heard);
  heard = Atomics.load(bell, 0);
}

for (;;) {
  listen();
  for (let posted = receiveMessageOnPort(port); posted; posted = receiveMessageOnPort(port))
    for (const { id, code, inputs } of posted.message as FunctionCall[]) {
      port.postMessage({ id, ...realm.call(code, inputs) } satisfies FunctionResult);
      Atomics.add(bell, 1, 1);
      if (realm.spent) realm = await FunctionRealm.open();
    }
}
