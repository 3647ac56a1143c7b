/** The SQLite store, held to the contract. */

import { storeSuite } from "../suite/store-suite.ts";
import { openScratch } from "./scratch.ts";

storeSuite("sqlite", openScratch);
