/** A run that an earlier version started from a cyclic file: it cannot be advanced here. */

import { openEngine } from "@reprise/engine/open-reprise";

export async function leaveEndlessRun(home: string, folder: string): Promise<void> {
  const { engine, reprise } = await openEngine({ home, cwd: folder });
  const { store, owner } = engine;
  const event = {
    type: "run.started",
    data: {
      workflow: "endless",
      source: "name: endless\nsteps:\n  a: &x { constant: [*x] }\n",
      format: 1,
      inputs: {},
      folder,
      path: null,
      trigger: null,
      by: null,
    },
  };
  const run = { id: "r1", workflow: "endless", path: null, event, owner, at: 1 };
  const { token } = await store.createRun(run);
  await store.takeRun({ run: "r1", token, owner: null });
  await reprise.close();
}
