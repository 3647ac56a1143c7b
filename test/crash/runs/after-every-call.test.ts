/** The owners of a run are killed after every call that they make to the store and the launcher. */

import { sweep } from "./sweep.ts";

await sweep("after");
