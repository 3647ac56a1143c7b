/** Reprise is killed before every call that it makes to its store and its launcher. */

import { sweep } from "./sweep.ts";

await sweep("before");
