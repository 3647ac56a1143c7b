/** The verbs of the Store contract, on the transactions of one database. */

import type { DatabaseStore } from "../contract/database.ts";
import type { Store } from "../store.ts";
import { accessStore } from "./access/verbs.ts";
import { agentStore } from "./agents/verbs.ts";
import { callStore } from "./calls/verbs.ts";
import { checkpointStore } from "./checkpoints/verbs.ts";
import { dueStore } from "./due/verbs.ts";
import { eventStore } from "./events/verbs.ts";
import { hostStore } from "./hosts/verbs.ts";
import { inboxStore } from "./inbox/verbs.ts";
import { runStore } from "./runs/verbs.ts";
import { sessionStore } from "./sessions/verbs.ts";
import type { Transactions } from "./transactions.ts";
import { turnStore } from "./turns/verbs.ts";
import { usageStore } from "./usage/verbs.ts";
import { webhookStore } from "./webhooks/verbs.ts";

export function storeOn(transactions: Transactions): Omit<Store, keyof DatabaseStore> {
  return {
    ...agentStore(transactions),
    ...sessionStore(transactions),
    ...turnStore(transactions),
    ...checkpointStore(transactions),
    ...usageStore(transactions),
    ...runStore(transactions),
    ...inboxStore(transactions),
    ...eventStore(transactions),
    ...dueStore(transactions),
    ...accessStore(transactions),
    ...callStore(transactions),
    ...webhookStore(transactions),
    ...hostStore(transactions),
  };
}
