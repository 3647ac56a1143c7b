/** How the verbs of usage run: what they read or write, and how durable it is. */

import type { UsageStore } from "../../contract/usage.ts";
import type { Transactions } from "../transactions.ts";
import { sumUsage } from "./sum-usage.ts";

export const usageStore = ({ read }: Transactions): UsageStore => ({
  sumUsage: read(sumUsage),
});
