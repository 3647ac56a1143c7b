/**
 * `npm start`: builds Reprise, serves `.reprise/` in the clone, never the user's home, and prints where its
 * page is. It comes back when that answers; `npx reprise down --home .reprise` stops the server.
 */

import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.ts";

const root = path.join(import.meta.dirname, "..");
process.env.REPRISE_HOME = path.join(root, ".reprise");

await build();
const program = pathToFileURL(path.join(root, "packages/reprise/dist/main.js")).href;
const { main }: { main(argv: string[]): Promise<number> } = await import(program);
// A server that was started before runs the old program; its agents continue.
const stopped = await main(["down", "--quiet"]);
// Quiet, because the remark of `up` on how to stop the server would name neither npx nor this home.
process.exitCode =
  stopped === 0 ? await main(["up", "--detach", "--quiet", ...process.argv.slice(2)]) : stopped;
if (process.exitCode === 0)
  console.error(
    "Open that page. To see Reprise at work: npx reprise demo --home .reprise. To stop the server: npx reprise down --home .reprise",
  );
