/** The pages whose commands need no other agent than the scripted one. */

import { runsAsShown } from "./page-shell.ts";

const inbox = "reprise inbox --json | node -p 'JSON.parse(fs.readFileSync(0))[0].id'";

runsAsShown("examples/README.md", () => ({
  folder: "clone",
  values: { ITEM: inbox },
}));
