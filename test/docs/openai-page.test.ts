/** The page of the API models, with the model server that it starts. */

import { freePort } from "./free-port.ts";
import { runsAsShown } from "./page-shell.ts";

runsAsShown("docs/providers/openai.md", async () => {
  const port = await freePort();
  return {
    folder: "clone",
    values: { "8080": `echo ${port}` },
    before: {
      // A reader is slower than the model server.
      'reprise send demo "remember APPLE-739" --agent writer': () =>
        `until curl --silent http://127.0.0.1:${port}; do :; done`,
    },
  };
});
