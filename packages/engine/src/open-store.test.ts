/** A home works on PostgreSQL as it does on its own database. */

import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Cluster } from "../../../test/postgres/cluster.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { openReprise } from "./open-reprise.ts";

test("a session that is kept in PostgreSQL continues after the home was opened again", async () => {
  const cluster = await Cluster.start();
  onTestFinished(() => cluster.remove());
  const store = await cluster.createDatabase();
  const folder = temporaryFolder("postgres-home");
  const options = { home: join(folder, "home"), store, cwd: folder, env: { HOME: folder } };

  const first = await openReprise(options);
  await first.agents.create({ name: "coder", provider: "scripted" });
  await first.sessions.send({ key: "fix-42", agent: "coder", prompt: "remember APPLE-739" });
  await first.close();

  const second = await openReprise(options);
  const turn = await second.sessions.send({
    key: "fix-42",
    prompt: "what did I ask you to remember?",
  });
  expect(turn).toMatchObject({ output: "APPLE-739", decision: { outcome: "resume" } });
  await second.close();
});
