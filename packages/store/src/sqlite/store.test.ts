/** The SQLite store, held to the contract. */

import { openScratch } from "../suite/sqlite-scratch.ts";
import { storeSuite } from "../suite/store-suite.ts";

storeSuite("sqlite", openScratch);
