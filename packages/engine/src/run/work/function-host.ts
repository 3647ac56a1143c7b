/** A thread that calls the code of function nodes which takes long, one call after the other. */

import { answerCalls } from "../../thread/answer-calls.ts";
import { FunctionRealm, type FunctionResult } from "./function-realm.ts";

/** Inputs and outputs travel as texts of JSON. */
export interface FunctionCall {
  readonly code: string;
  readonly inputs: string;
}

const stopped: FunctionResult = {
  error: "it went too deep, or broke the interpreter that it runs in",
};
let realm = await FunctionRealm.open();

answerCalls<FunctionCall, FunctionResult>(async ({ code, inputs }) => {
  if (realm.spent) realm = await FunctionRealm.open();
  return realm.call(code, inputs) ?? stopped;
});
