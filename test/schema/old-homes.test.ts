/** Homes of earlier schema versions are opened, migrated, and their sessions continue. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openReprise } from "@reprise/engine/open-reprise";
import { latestSchema } from "@reprise/store/sqlite/migrations/migrations";
import { describe, expect, test } from "vitest";
import { inherited } from "../environment.ts";
import { OldHome, oldSchemas } from "./old-home.ts";

/** The first schema of whose runs a home was kept. */
const withRuns = 9;
/** And of questions. */
const withQuestions = 10;
const recall = "what did I ask you to remember?";

function userVersion({ database: path }: OldHome): unknown {
  using database = new DatabaseSync(path, { readOnly: true });
  return database.prepare("PRAGMA user_version").get()?.user_version;
}

/** Every table with its columns and every index, as SQLite describes them. */
function shape(path: string): unknown {
  using database = new DatabaseSync(path, { readOnly: true });
  const names = database
    .prepare("SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
    .all();
  return names.map((row) => ({
    ...row,
    columns: database.prepare(`PRAGMA ${row.type}_xinfo(${row.name})`).all(),
  }));
}

async function open({ home, folder }: OldHome) {
  return openReprise({ home, cwd: folder, env: inherited });
}

test("there is a home of the first schema version", () => {
  expect(oldSchemas).toContain(1);
});

describe.each(oldSchemas)("a home of schema %i", (schema) => {
  test("is brought to the newest schema, the same as that of a new home", async () => {
    using old = new OldHome(schema);
    expect(userVersion(old)).toBe(schema);
    await (await open(old)).close();
    expect(userVersion(old)).toBe(latestSchema);

    const fresh = join(old.root, "new");
    await (await openReprise({ home: fresh, cwd: old.folder, env: {} })).close();
    expect(shape(old.database)).toEqual(shape(join(fresh, "reprise.db")));
  });

  test("K1: shows which guards passed in its turns", async () => {
    using old = new OldHome(schema);
    const reprise = await open(old);
    const { decision } = await reprise.turns.why("resumed");
    expect(decision?.verdicts.length).toBeGreaterThan(0);
    for (const verdict of decision?.verdicts ?? [])
      expect(verdict).toMatchObject({ passed: true, held: true });
    await reprise.close();
  });

  test("continues its sessions", async () => {
    using old = new OldHome(schema);
    const reprise = await open(old);
    const send = (key: string, prompt: string) => reprise.sessions.send({ key, prompt });

    expect(await send("resumed", recall)).toMatchObject({
      turn: { seq: 3, status: "done" },
      decision: { outcome: "resume" },
      output: "APPLE-739",
    });
    expect(await send("handed-over", recall)).toMatchObject({
      session: { agent: "reviewer" },
      decision: { outcome: "resume" },
      output: "PEAR-12",
    });
    expect(await send("reseeded", recall)).toMatchObject({
      decision: { outcome: "resume" },
      output: "PLUM-3",
    });
    expect(await send("cut-off", recall)).toMatchObject({
      decision: { outcome: "resume", notices: [{ code: "unconfirmed-kept" }] },
      output: "FIG-8",
    });
    expect(
      await reprise.sessions.send({ key: "purged", agent: "coder", prompt: recall }),
    ).toMatchObject({
      turn: { seq: 1 },
      decision: { outcome: "blank" },
      notices: [{ code: "purged" }],
    });
    await reprise.close();
    // Only the turn behind the one that was cut off is sent a record: of that one.
    const reseeded = old
      .prompts("coder")
      .filter((prompt) => prompt.includes("<reprise:transcript>"));
    expect(reseeded.filter((prompt) => !prompt.endsWith("remember LIME-4"))).toEqual([]);
  });

  test("gives its checkpoints to agents that lost their files", async () => {
    using old = new OldHome(schema);
    old.loseSessions("coder");
    const reprise = await open(old);
    expect(await reprise.sessions.send({ key: "resumed", prompt: recall })).toMatchObject({
      decision: { outcome: "resume", prepare: ["restore"] },
      output: "APPLE-739",
    });
    expect(await reprise.sessions.verify("resumed")).toMatchObject([{ sound: true }]);
    await reprise.close();
  });

  test("ends the turn that was at work, and runs the one that was promised", async () => {
    using old = new OldHome(schema);
    const reprise = await open(old);
    const [queued, working] = (await reprise.sessions.show("at-work")).recent;
    expect(working).toMatchObject({ status: "interrupted" });
    expect(queued).toMatchObject({ status: "queued" });
    const next = await reprise.sessions.send({ key: "at-work", prompt: recall });
    expect(next).toMatchObject({ turn: { seq: 3, status: "done" }, output: "LIME-4" });
    await reprise.close();
    const [sent = "", ...others] = old
      .prompts("coder")
      .filter((each) => each.includes("long work"));
    expect(others).toEqual([]);
    expect(sent).toContain("<reprise:user unconfirmed>\ndo some long work\n</reprise:user>");
    expect(sent.endsWith("remember LIME-4")).toBe(true);
  });
});

test.each(oldSchemas.filter((schema) => schema >= withRuns))(
  "a home of schema %i has its runs, and the one at a gate continues",
  async (schema) => {
    using old = new OldHome(schema);
    const reprise = await open(old);
    expect(await reprise.runs.show("ended")).toMatchObject({
      status: "done",
      outputs: { sum: 2, told: "KIWI-5" },
    });
    let count = 0;
    for await (const { streamSeq } of reprise.runs.events("ended")) expect(streamSeq).toBe(++count);
    expect(count).toBeGreaterThan(10);

    const [item] = await reprise.inbox.list({ run: "waiting" });
    await reprise.inbox.answer({ item: item!.id, choice: "approve", by: "ann" });
    expect(await reprise.runs.show("waiting")).toMatchObject({
      status: "done",
      outputs: { sum: 42, told: "KIWI-5" },
    });
    await reprise.close();
  },
);

test.each(oldSchemas.filter((schema) => schema >= withQuestions))(
  "a home of schema %i tells who answered its questions, and takes the answer to the one that is open",
  async (schema) => {
    using old = new OldHome(schema);
    const reprise = await open(old);
    const [asks] = await reprise.inbox.list({ limit: 1 });
    expect(asks).toMatchObject({ kind: "question", sessions: ["asks"], resolution: null });
    const events = reprise.events({ after: 0 });
    let answeredAt = 0;
    for await (const { type, at } of events) {
      if (type !== "turn.answered") continue;
      answeredAt = at;
      break;
    }
    const values = { "Which database?": "SQLite" };
    const answered = { how: "answered", choice: null, by: "ann", comment: null, values };
    const all = async () =>
      (await reprise.inbox.list({ all: true }))
        .filter(({ kind }) => kind === "question")
        .map(({ sessions: [key], resolution }) => [key, resolution]);
    expect(await all()).toEqual([
      ["asks", null],
      ["answered", { ...answered, at: answeredAt }],
    ]);
    await reprise.inbox.answer({ item: asks!.id, text: "SQLite", by: "ann" });
    expect(await all()).toMatchObject([
      ["asks", answered],
      ["answered", answered],
    ]);
    await reprise.close();
  },
);

/** The first schema in whose home a run waits at a gate whose answer is read in several ways. */
const withGuarded = 11;
/** The first kept home whose runs were started under the rule of today. */
const withRule = 19;

test.each(oldSchemas.filter((schema) => schema >= withGuarded && schema < withRule))(
  "W1: a run of a home of schema %i that was parked before follows the rule from its next step",
  async (schema) => {
    using old = new OldHome(schema);
    const reprise = await open(old);
    const [item] = await reprise.inbox.list({ run: "guarded" });
    const { warnings } = await reprise.runs.show("guarded");
    expect(warnings).toContainEqual(expect.objectContaining({ code: "new-rule" }));
    await reprise.inbox.answer({ item: item!.id, choice: "reject", by: "ann", comment: "No." });
    const ended = await reprise.runs.show("guarded");
    expect(ended).toMatchObject({
      status: "rejected",
      outputs: { decision: "reject" },
      error: { code: "rejected" },
      warnings: [{ code: "quoted-value" }],
    });
    const started: unknown[] = [];
    for await (const { type, data } of reprise.runs.events("guarded", { follow: false }))
      if (type === "node.started") started.push(data);
    expect(started).toEqual([]);
    expect(Object.fromEntries(ended.executions.map(({ id, status }) => [id, status]))).toEqual({
      "sign-off": "done",
      push: "skipped",
      note: "skipped",
      "outputs.decision": "done",
    });
    await reprise.close();
  },
);
