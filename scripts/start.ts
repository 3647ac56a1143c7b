/** `npm start`: builds Reprise and shows it at work on `.reprise/` in the clone, never in the user's home. */

import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.ts";

const root = path.join(import.meta.dirname, "..");
process.env.REPRISE_HOME = path.join(root, ".reprise");

await build();
const program = pathToFileURL(path.join(root, "packages/reprise/dist/main.js")).href;
const { main }: { main(argv: string[]): Promise<number> } = await import(program);
process.exitCode = await main(["demo", ...process.argv.slice(2)]);
