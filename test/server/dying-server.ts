/** A server that is killed right before it starts its first agent. `node dying-server.ts HOME PORT` */

import { serve } from "../../packages/reprise/src/server/lifecycle.ts";

const [, , home = "", port = "0"] = process.argv;

await serve({
  home,
  env: process.env,
  cwd: process.cwd(),
  host: "127.0.0.1",
  port: Number(port),
  version: "dying",
  owner: "test",
  level: "warn",
  write: (line) => process.stderr.write(line),
  now: Date.now,
  wrap: {
    launcher: (launcher) => ({
      ...launcher,
      async prepare() {
        process.kill(process.pid, "SIGKILL");
        await new Promise(() => {});
      },
    }),
  },
});
