/** A thread that runs the code of function nodes, one call after the other. */

import { answerCalls } from "../../thread/answer-calls.ts";
import { type FunctionCall, FunctionRealm, type FunctionResult } from "./function-realm.ts";

/** Calls that are made one after the other, each with `limit` milliseconds. */
export interface FunctionBatch {
  readonly calls: readonly FunctionCall[];
  readonly limit: number;
}

let realm = await FunctionRealm.open();

answerCalls<FunctionBatch, FunctionResult[]>(async ({ calls, limit }) => {
  const results: FunctionResult[] = [];
  for (const call of calls) {
    if (realm.spent) realm = await FunctionRealm.open();
    results.push(realm.call(call, limit));
  }
  return results;
});
