/**
 * The thread that calls the code of function nodes, one call after the other, each in the realm. It
 * blocks while there is nothing to do; a bell in shared memory wakes it.
 */

import { type MessagePort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { type Answer, FunctionRealm } from "./function-realm.ts";
import { Patience } from "./patience.ts";

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
}

const { port, bell } = workerData as HostData;
/** The next step of the same run may follow at once. */
const patience = new Patience(0.3);
/** Milliseconds. Answers are told together, unless they would be late. */
const heldBack = 0.2;

let realm = await FunctionRealm.open();
let heard = 0;
let results: FunctionResult[] = [];
let told = 0;

/** Until there is something that was not looked at yet. */
function listen(): void {
  if (!patience.for(() => Atomics.load(bell, 0) !== heard)) Atomics.wait(bell, 0, heard);
  heard = Atomics.load(bell, 0);
}

function tell(): void {
  told = performance.now();
  if (results.length === 0) return;
  port.postMessage(results);
  results = [];
  Atomics.add(bell, 1, 1);
}

/** Code that was never called may never end: what came before it is told before it begins. */
async function answer({ id, code, inputs }: FunctionCall): Promise<void> {
  if (!realm.knows(code) || performance.now() - told > heldBack) tell();
  results.push({ id, ...realm.call(code, inputs) });
  if (realm.spent) realm = await FunctionRealm.open();
}

for (;;) {
  listen();
  for (let posted = receiveMessageOnPort(port); posted; posted = receiveMessageOnPort(port))
    for (const call of posted.message as FunctionCall[]) await answer(call);
  tell();
}
