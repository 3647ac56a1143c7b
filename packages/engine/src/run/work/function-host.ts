/** The thread that calls the code of function nodes which takes long, one call after the other. */

import { parentPort } from "node:worker_threads";
import { type Answer, FunctionRealm } from "./function-realm.ts";

/** Inputs and outputs travel as texts of JSON. */
export interface FunctionCall {
  readonly id: number;
  readonly code: string;
  readonly inputs: string;
}

export type FunctionResult = Answer & { readonly id: number };

const stopped: Answer = { error: "it went too deep, or broke the interpreter that it runs in" };
const calls: FunctionCall[] = [];
let realm = await FunctionRealm.open();

async function answerAll(): Promise<void> {
  for (let call = calls[0]; call; call = calls[0]) {
    const answer = realm.call(call.code, call.inputs) ?? stopped;
    parentPort!.postMessage({ id: call.id, ...answer } satisfies FunctionResult);
    calls.shift();
    if (realm.spent) realm = await FunctionRealm.open();
  }
}

parentPort!.on("message", (call: FunctionCall) => {
  calls.push(call);
  if (calls.length === 1) void answerAll();
});
