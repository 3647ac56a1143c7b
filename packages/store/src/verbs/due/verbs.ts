/** How the verbs of due rows run: what they read or write, and how durable it is. */

import type { DueStore } from "../../contract/due.ts";
import type { Transactions } from "../transactions.ts";
import { claimDue } from "./claim-due.ts";
import { settleDue } from "./settle-due.ts";

export const dueStore = ({ write }: Transactions): DueStore => ({
  claimDue: write(claimDue),
  settleDue: write(settleDue),
});
