/**
 * A caller that brings the run of the crash tests one action nearer to its end: starts it, continues
 * what a dead process left, or answers its gate, and can be killed, or stopped, at any call that Reprise
 * makes meanwhile to its store or its launcher. `node program.ts '{"folder", …}'`; prints its calls.
 */

import { openReprise } from "@reprise/engine/open-reprise";
import { keep, keepPromised } from "../disk.ts";
import { watched } from "../watched.ts";
import { type Disturbance, StoreCalls } from "./calls.ts";
import { openItem, readEvents, readRun, runId, stageOf } from "./home.ts";
import { survives } from "./workflow.ts";

export interface RunProgramInput extends Disturbance {
  /** Another workflow. */
  readonly source?: string;
  /** How a run without an owner is continued: by its id, or by recovering all such runs. */
  readonly drivesBy?: "id" | "recovery";
  /** Copies what a loss of power would leave of the database, whenever that has changed. */
  readonly keepsDurable?: boolean;
  /** Unless this is false it answers the gate of a run that waits. */
  readonly answers?: boolean;
}

const order: RunProgramInput = JSON.parse(process.argv[2] ?? "{}");
const { folder } = order;
const run = readRun(folder);
const calls = new StoreCalls(order, stageOf(folder), readEvents(folder));
if (order.keepsDurable) keepPromised(folder);
const reprise = await openReprise({
  home: `${folder}/home`,
  cwd: folder,
  wrap: {
    store: (store) => watched(store, "store", calls.watch),
    launcher: (launcher) => watched(launcher, "launcher", calls.watch),
  },
});
if (run === null) await reprise.runs.start({ source: order.source ?? survives.source, id: runId });
else if (run.status === "waiting" && order.answers !== false)
  await reprise.inbox.answer({ item: openItem(folder), choice: "approve", by: "ann" });
else if (order.drivesBy === "id") await reprise.runs.continue(runId);
else await reprise.runs.recover();
await reprise.close();
// SQLite itself waits for the disk when the last connection is closed.
if (order.keepsDurable) keep(folder);
console.log(JSON.stringify(calls.made));
