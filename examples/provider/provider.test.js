import { test } from "node:test";
import { providerSuite } from "reprise/testing";
import provider from "./provider.js";

for (const { name, run } of providerSuite({ provider })) test(name, run);
