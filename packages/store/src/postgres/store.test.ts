/** The PostgreSQL store, held to the contract. */

import * as runner from "vitest";
import { storeSuite } from "../suite/store-suite.ts";
import { openPostgresScratch } from "./test-scratch.ts";

storeSuite({ name: "postgres", open: openPostgresScratch, runner });
