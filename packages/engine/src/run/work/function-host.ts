/** A thread that runs slow function code, one call at a time. */

import { answerCalls } from "../../thread/answer-calls.ts";
import { FunctionRealm, type FunctionResult } from "./function-realm.ts";

/** Inputs and outputs are passed as JSON text. */
export interface FunctionCall {
  readonly code: string;
  readonly inputs: string;
}

const stopped: FunctionResult = {
  error: "it recursed too deeply, or crashed its interpreter",
};
let realm = await FunctionRealm.open();

answerCalls<FunctionCall, FunctionResult>(async ({ code, inputs }) => {
  if (realm.spent) realm = await FunctionRealm.open();
  return realm.call(code, inputs) ?? stopped;
});
