/** How the verbs of hosts run: what they read or write, and how durable it is. */

import type { HostStore } from "../../contract/hosts.ts";
import type { Transactions } from "../transactions.ts";
import { recordHome } from "./home.ts";
import { beat, listHosts, readHost } from "./hosts.ts";
import { listOwners } from "./owners.ts";
import { readProbe, writeProbe } from "./probe.ts";
import { readSecret, recordSecret } from "./secret.ts";
import { freeSlot, listSlots, takeSlot } from "./slots.ts";

export const hostStore = ({ read, write, writeBuffered }: Transactions): HostStore => ({
  readSecret: read(readSecret),
  recordSecret: write(recordSecret),
  recordHome: write(recordHome),
  beat: writeBuffered(beat),
  readHost: read(readHost),
  listHosts: read(listHosts),
  listOwners: read(listOwners),
  takeSlot: writeBuffered(takeSlot),
  freeSlot: writeBuffered(freeSlot),
  listSlots: read(listSlots),
  readProbe: read(readProbe),
  writeProbe: write(writeProbe),
});
