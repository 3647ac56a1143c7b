/**
 * Test process for several processes on one file: resolves inbox items as fast as it can. It answers them
 * just before their deadline, or expires them at the deadline. It begins when its input ends, and prints the
 * items that it resolved.
 *
 * test-answerer.ts DATABASE NAME answer|expire DEADLINE ITEM…
 */

import { text } from "node:stream/consumers";
import { approval } from "../suite/runs/run-samples.ts";
import { openSqliteStore } from "./open.ts";

const [database, name, how, deadline, ...items] = process.argv.slice(2);
let now = 0;
const store = await openSqliteStore(database!, { now: () => now });
const resolve = async (item: string): Promise<boolean> => {
  now = Number(deadline) - (how === "expire" ? 0 : 1);
  if (how === "expire") return store.expireItem({ item });
  return (await store.answerItem(approval(item, { by: name!, at: now }))).given;
};

console.log("ready");
await text(process.stdin);
const resolved: string[] = [];
for (const item of items) if (await resolve(item)) resolved.push(item);
console.log(JSON.stringify(resolved));
await store.close();
