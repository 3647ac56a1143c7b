/** How the verbs of calls run: what they read or write, and how durable it is. */

import type { CallStore } from "../../contract/calls.ts";
import type { Transactions } from "../transactions.ts";
import { acceptCall } from "./accept-call.ts";
import { beginCall } from "./begin-call.ts";
import { dropCall } from "./drop-call.ts";
import { settleCall } from "./settle-call.ts";

export const callStore = ({ write }: Transactions): CallStore => ({
  beginCall: write(beginCall),
  acceptCall: write(acceptCall),
  settleCall: write(settleCall),
  dropCall: write(dropCall),
});
