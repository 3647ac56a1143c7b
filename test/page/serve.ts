/** Serves a home with a page as `reprise up` does, in a process that a test can kill: `serve.ts HOME PORT PAGE`. */

import { serve } from "../../packages/reprise/src/server/lifecycle.ts";

const [home = "", port = "0", page = ""] = process.argv.slice(2);
const { record, token } = await serve({
  home,
  page,
  host: "127.0.0.1",
  port: Number(port),
  env: process.env,
  cwd: process.cwd(),
  version: "0.0.0",
  owner: "ann",
  level: "error",
  write: (line) => process.stderr.write(line),
  now: Date.now,
});
// The process that started it has ended.
process.stdin.resume().on("end", () => process.exit());
console.log(JSON.stringify({ url: record.url, token }));
