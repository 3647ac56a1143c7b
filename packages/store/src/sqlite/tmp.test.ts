import { chaosCases } from "../suite/tmp-chaos.ts";
import { openScratch } from "./scratch.ts";
process.on("unhandledRejection", (e) => { process.stderr.write(String(e) + "\n"); });
chaosCases(openScratch);
