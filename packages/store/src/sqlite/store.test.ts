/** The SQLite store, held to the contract. */

import * as runner from "vitest";
import { openScratch } from "../suite/sqlite-scratch.ts";
import { storeSuite } from "../suite/store-suite.ts";

storeSuite({ name: "sqlite", open: openScratch, runner });
