/** How the verbs of the inbox run: what they read or write, and how durable it is. */

import type { InboxStore } from "../../contract/inbox.ts";
import type { Transactions } from "../transactions.ts";
import { answerItem } from "./answer-item.ts";
import { countInbox } from "./count-inbox.ts";
import { expireItem } from "./expire-item.ts";
import { findItems, listItems, readItem } from "./read-items.ts";

export const inboxStore = ({ read, write }: Transactions): InboxStore => ({
  answerItem: write(answerItem),
  expireItem: write(expireItem),
  readItem: read(readItem),
  findItems: read(findItems),
  listItems: read(listItems),
  countInbox: read(countInbox),
});
