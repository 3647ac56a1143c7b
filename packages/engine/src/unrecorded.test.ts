/** A database that can grow no more, in a program that uses the library and has no server beside it. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Reprise } from "@reprise/core/api/reprise";
import { ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { until } from "../../../test/until.ts";
import { openReprise } from "./open-reprise.ts";

const answer = "a long answer ".repeat(20_000);
const workflow = `name: w
steps:
  ask: { agentId: coder, mode: inherit_fresh, prompt: "tell me all" }
  note: { shell: "echo noted", needs: ask }
`;
let folder: string;
let reprise: Reprise;
let database: DatabaseSync;
const { prepare } = DatabaseSync.prototype;

beforeEach(async () => {
  folder = temporaryFolder("full");
  const go = join(folder, "go");
  const rules = [
    { when: { prompt: "tell me all" }, do: ["model", { "wait-for": go }, { say: answer }] },
  ];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  // The engine's own connection, to limit it while it works; the errors are SQLite's own.
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...input) {
    database = this;
    return prepare.apply(this, input);
  };
  reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
  DatabaseSync.prototype.prepare = prepare;
  const settings = { script: join(folder, "script.json"), home: join(folder, "agent") };
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
  await reprise.sessions.send({ key: "k", agent: "coder", prompt: "remember PLUM-1" });
});

afterEach(async () => {
  free();
  await reprise.close();
  rmSync(folder, { recursive: true });
});

function fill(): void {
  const [pages] = Object.values(prepare.call(database, "PRAGMA page_count").get()!);
  database.exec(`PRAGMA max_page_count = ${Number(pages)}`);
}

function free(): void {
  database.exec("PRAGMA max_page_count = 1000000");
}

const sentPrompts = () =>
  readLedger(ledgerPath(join(folder, "agent"))).filter(
    ({ event, prompt }) => event === "model" && String(prompt).includes("tell me all"),
  );

/** The agent answers once the database is full. */
async function untilLaunched(): Promise<void> {
  await until(() => sentPrompts().length === 1);
  fill();
  writeFileSync(join(folder, "go"), "");
}

test("S6: what could not be recorded is said as it is, and the next turn of the same process takes the answer", async () => {
  const sending = reprise.sessions.send({ key: "k", prompt: "tell me all" });
  const result = sending.then(
    () => null,
    (error) => error,
  );
  await untilLaunched();
  const error = await result;
  expect(error).toMatchObject({
    name: "StoreError",
    code: "store-full",
    message: expect.stringMatching(/^Turn \S+ cannot be recorded\. The database .* cannot grow/),
  });
  const [spool] = /\S+turns\/\w+/.exec(error.hint) ?? [];
  expect(readFileSync(join(spool!, "1", "stdout"), "utf8")).toContain("a long answer");
  expect(await reprise.ready()).toMatchObject({
    ready: false,
    reasons: expect.arrayContaining([
      expect.objectContaining({
        code: "store-full",
        text: expect.stringMatching(/^Turn \S+ could not be recorded/),
      }),
    ]),
  });
  const doctor = await reprise.doctor();
  expect(doctor.ok).toBe(false);

  free();
  const next = await reprise.sessions.send({ key: "k", prompt: "what did I ask you to remember?" });
  expect(next).toMatchObject({ decision: { outcome: "resume" }, output: "PLUM-1" });
  const { recent } = await reprise.sessions.show("k");
  expect(recent.map(({ status }) => status)).toEqual(["done", "done", "done"]);
  expect(sentPrompts()).toHaveLength(1);
  expect(await reprise.ready()).toEqual({ ready: true, reasons: [] });
});

test("S6: a run that could not be recorded has not failed, and continues when there is room", async () => {
  const result = reprise.runs.start({ source: workflow, folder }).then(
    () => null,
    (error) => error,
  );
  await untilLaunched();
  expect(await result).toMatchObject({
    code: "store-full",
    message: expect.stringMatching(/^Run \S+ cannot be recorded\. The database/),
  });
  expect(await reprise.runs.list()).toMatchObject([{ status: "running", error: null }]);

  free();
  expect(await reprise.runs.recover()).toMatchObject([{ status: "done" }]);
  expect(sentPrompts()).toHaveLength(1);
});
