/** The owners of a run are killed before every call that they make to the store and the launcher. */

import { sweep } from "./sweep.ts";

await sweep("before");
