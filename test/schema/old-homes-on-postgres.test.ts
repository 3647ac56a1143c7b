/** Homes of earlier schema versions are moved to PostgreSQL, and their sessions, gates and questions continue there. */

import { moveHome } from "@reprise/engine/migrate/move-home";
import { openReprise } from "@reprise/engine/open-reprise";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inherited } from "../environment.ts";
import { Cluster } from "../postgres/cluster.ts";
import { OldHome, oldSchemas } from "./old-home.ts";

/** The first schema of whose runs, and of whose questions, a home was kept. */
const [withRuns, withQuestions] = [9, 10];
const recall = "what did I ask you to remember?";
let cluster: Cluster;

beforeAll(async () => {
  cluster = await Cluster.start();
});

afterAll(() => cluster.remove());

test.each(oldSchemas)("a home of schema %i continues on PostgreSQL", async (schema) => {
  using old = new OldHome(schema);
  const to = await cluster.createDatabase();
  const { tables } = await moveHome({ home: old.home, to, env: {}, now: Date.now });
  expect(tables.find(({ table }) => table === "session")?.rows).toBeGreaterThan(4);

  const reprise = await openReprise({ home: old.home, cwd: old.folder, env: inherited });
  expect((await reprise.sessions.show("at-work")).recent).toMatchObject([
    { status: "queued" },
    { status: "interrupted" },
  ]);
  const recalled = (key: string) => reprise.sessions.send({ key, prompt: recall });
  expect(await recalled("resumed")).toMatchObject({
    turn: { seq: 3, status: "done" },
    decision: { outcome: "resume" },
    output: "APPLE-739",
  });
  expect(await recalled("at-work")).toMatchObject({ turn: { seq: 3 }, output: "LIME-4" });
  // Both were sent without a transcript.
  expect(old.prompts("coder").filter((prompt) => prompt === recall)).toHaveLength(2);

  if (schema >= withRuns) {
    const [item] = await reprise.inbox.list({ run: "waiting" });
    await reprise.inbox.answer({ item: item!.id, choice: "approve", by: "ann" });
    expect(await reprise.runs.show("waiting")).toMatchObject({
      status: "done",
      outputs: { sum: 42 },
    });
  }
  if (schema >= withQuestions) {
    const [asks] = await reprise.inbox.list({ limit: 1 });
    expect(asks).toMatchObject({ kind: "question", sessions: ["asks"] });
    await reprise.inbox.answer({ item: asks!.id, text: "SQLite", by: "ann" });
  }
  await reprise.close();
});
