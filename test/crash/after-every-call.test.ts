/** Reprise is killed after every call that it makes to its store and its launcher. */

import { sweep } from "./sweep.ts";

await sweep("after");
