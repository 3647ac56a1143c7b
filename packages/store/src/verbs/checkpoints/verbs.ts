/** How the verbs of checkpoints run: what they read or write, and how durable it is. */

import type { CheckpointStore } from "../../contract/checkpoints.ts";
import type { Transactions } from "../transactions.ts";
import { readCheckpoints } from "./checkpoint.ts";

export const checkpointStore = ({ read }: Transactions): CheckpointStore => ({
  readCheckpoints: read(readCheckpoints),
});
