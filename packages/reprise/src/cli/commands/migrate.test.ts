/** `reprise migrate`: the schema of a home, and its move to PostgreSQL. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openReprise } from "@reprise/engine/open-reprise";
import { latestSchema } from "@reprise/store/sqlite/migrations/migrations";
import { expect, onTestFinished, test } from "vitest";
import { Cluster } from "../../../../../test/postgres/cluster.ts";
import { OldHome } from "../../../../../test/schema/old-home.ts";
import { lockHome } from "../../server/home-lock.ts";
import { testHome } from "../test-home.ts";

const workflow = `name: Gated
steps:
  approve: { gate: "Ship it?" }
  tell: { needs: approve, agent: scripted, session: talk, prompt: "remember KIWI-5" }
`;

test("moves a conversation and a parked gate, and the library continues both", async () => {
  const cluster = await Cluster.start();
  onTestFinished(() => cluster.remove());
  const { folder, run, runWith, document, remove } = testHome("migrate");
  onTestFinished(remove);
  const home = join(folder, "home");
  const url = await cluster.createDatabase();
  await run("agent", "create", "coder", "--provider", "scripted");
  await run("send", "fix-42", "remember APPLE-739", "--agent", "coder");
  writeFileSync(join(folder, "gated.yaml"), workflow);
  expect(await run("run", "gated.yaml")).toMatchObject({ code: 3 });
  const [{ id: item }] = await document("inbox");

  const unlock = lockHome(home);
  expect(await run("migrate", "--to", url)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Another server of the home"),
  });
  unlock?.();

  const { code, stdout, stderr } = await run("migrate", "--to", url);
  expect(stderr).toMatch(/copying session: \d+ of \d+ rows/);
  expect(stderr).toMatch(/The previous database is kept as .*before-migration-.*\/reprise\.db/);
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^session +1$/m),
  });
  const name = `127.0.0.1:${cluster.port}/home_1`;
  expect(stdout).toMatch(
    new RegExp(`Moved ${home} to ${name}: \\d+ rows, compared with the original.\\n$`),
  );
  expect(await document("migrate", "--to", url)).toMatchObject({ moved: false, database: name });
  expect((await run("migrate")).stdout).toBe(
    `The database ${name} has schema ${latestSchema}, the newest.\n`,
  );
  const whole = { REPRISE_STORE: url.replace("reprise@", "reprise:hunter2-hunter2@") };
  expect((await runWith({ env: whole }, "migrate", "--to", url)).code).toBe(0);

  const reprise = await openReprise({ home, cwd: folder, env: { PATH: process.env.PATH } });
  onTestFinished(() => reprise.close());
  expect(
    await reprise.sessions.send({ key: "fix-42", prompt: "what did I ask you to remember?" }),
  ).toMatchObject({ output: "APPLE-739", decision: { outcome: "resume" } });
  const { run: parked } = await reprise.inbox.show(item);
  expect(await reprise.runs.show(parked!)).toMatchObject({ status: "waiting" });
  await reprise.inbox.answer({ item, choice: "approve", by: "ann" });
  expect(await reprise.runs.show(parked!)).toMatchObject({ status: "done" });
});

test("says what schema a home has, and migrates it", async () => {
  using old = new OldHome(9);
  const { runWith, remove } = testHome("migrate");
  onTestFinished(remove);
  const run = (...flags: string[]) =>
    runWith({ env: { REPRISE_HOME: old.home } }, "migrate", ...flags);
  expect(JSON.parse((await run("--json")).stdout)).toEqual({
    home: old.home,
    store: "sqlite",
    database: old.database,
    schema: latestSchema,
    before: 9,
  });
  expect((await run()).stdout).toBe(
    `The database ${old.database} has schema ${latestSchema}, the newest.\n`,
  );
});

test("refuses an address with a password, and one that is not of a PostgreSQL database", async () => {
  const { run, remove } = testHome("migrate");
  onTestFinished(remove);
  const refused = await run("migrate", "--to", "postgres://ann:hunter2-hunter2@db/team");
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain("The address of --to contains a password");
  expect(refused.stderr).not.toContain("hunter2");
  expect(await run("migrate", "--to", "sqlite")).toMatchObject({ code: 2 });
  expect(await run("migrate")).toMatchObject({ code: 4 });
});
