import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

const { folder, run, runWith, remove } = testHome("keeping", { columns: 100 });
afterAll(remove);
beforeAll(() => run("agent", "create", "echo", "--provider", "scripted"));

async function document(...argv: string[]) {
  const { code, stdout } = await run(...argv, "--json");
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

const begin = (key: string) => run("sessions", "send", key, "echo hi", "--agent", "echo");

test("a session is held by several, and released one by one", async () => {
  await begin("held");
  expect(await run("sessions", "hold", "held")).toMatchObject({
    code: 0,
    stdout: "Session held is held by person.\n",
  });
  const gate = ["--by", "gate:7", "--reason", "waits for approval"];
  expect((await document("sessions", "hold", "held", ...gate)).held).toMatchObject([
    { by: "person", reason: null },
    { by: "gate:7", reason: "waits for approval" },
  ]);
  const shown = await run("sessions", "show", "held");
  expect(shown.stdout).toMatch(/held by +person, gate:7 \(waits for approval\)/);
  expect((await run("sessions", "list")).stdout).toMatch(/^held .*done, held/m);

  expect((await run("sessions", "release", "held")).stdout).toBe(
    "Session held is still held by gate:7 (waits for approval).\n",
  );
  const wrong = await run("sessions", "release", "held");
  expect(wrong).toMatchObject({ code: 4, stdout: "" });
  expect(wrong.stderr).toBe(
    "reprise: Session held is not held by person. Name the holder with --by: gate:7.\n",
  );
  expect((await run("sessions", "release", "held", "--by", "gate:7")).stdout).toBe(
    "Session held is no longer held.\n",
  );
});

test("a held session is neither archived nor purged, unless by force", async () => {
  await begin("gate");
  await run("sessions", "hold", "gate", "--by", "gate:8");
  const archived = await run("sessions", "archive", "gate");
  expect(archived.code).toBe(1);
  expect(archived.stderr).toBe(
    'reprise: Session gate is held by gate:8. Release it with "reprise session release gate --by gate:8".\n',
  );
  const purged = await run("sessions", "purge", "gate", "--yes");
  expect(purged.code).toBe(1);
  expect(purged.stderr).toMatch(/^reprise: [^\n]* or purge it with --force\.\n$/);
  expect(await run("sessions", "show", "gate")).toMatchObject({ code: 0 });
  expect(await run("sessions", "purge", "gate", "--yes", "--force")).toMatchObject({ code: 0 });
  expect(await run("sessions", "show", "gate")).toMatchObject({ code: 4 });
});

test("an archived session refuses turns, and a revived one continues", async () => {
  await run("sessions", "send", "away", "remember PEAR-12", "--agent", "echo");
  expect((await run("sessions", "archive", "away")).stdout).toBe(
    "Archived session away. Turns are refused until it is revived.\n",
  );
  const recall = ["sessions", "send", "away", "what did I ask you to remember?"];
  const refused = await run(...recall);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain('Revive it with "reprise session revive away"');
  expect((await run("sessions", "list")).stdout).toMatch(/^away .*archived/m);
  expect(await document("sessions", "revive", "away")).toMatchObject({ archivedAt: null });
  expect((await run(...recall)).stdout).toBe("PEAR-12\n");
});

test("a session has its own settings, until they are unset", async () => {
  await begin("own");
  const set = await run(
    ...["sessions", "set", "own", "--archive-after", "720h", "--budget-max-tokens", "1000"],
    ...["--set", "onAdvanced=catch-up"],
  );
  expect(set.stdout).toBe(
    "onAdvanced        catch-up\narchiveAfter      30d\nbudget.maxTokens  1000\n",
  );
  expect((await run("sessions", "show", "own")).stdout).toMatch(/archiveAfter +30d/);
  const { settings } = await document(
    ...["sessions", "set", "own", "--archive-after", "never"],
    ...["--unset", "onAdvanced", "--unset", "budget.maxTokens"],
  );
  expect(settings).toEqual({ archiveAfter: "never" });
  expect((await run("sessions", "set", "own", "--unset", "archiveAfter")).stderr).toBe(
    "Session own has no settings of its own.\n",
  );
});

test.each([
  [["--archive-after", "soon"], '"soon" is not a value for archiveAfter (session).', 2],
  [["--reset", "weekly"], '"weekly" is not a value for reset.mode (session).', 2],
  [["--set", "prune.after=1d"], '"prune.after" cannot be set for a single session.', 2],
])("set %j: %s", async (argv, sentence, code) => {
  await begin("mistakes");
  const failed = await run("sessions", "set", "mistakes", ...argv);
  expect(failed).toMatchObject({ code, stdout: "" });
  expect(failed.stderr).toMatch(/^reprise: [^\n]+\n$/);
  expect(failed.stderr).toContain(sentence);
});

test.each(["hold", "release", "archive", "revive"])("%s of an unknown key", async (verb) => {
  expect(await run("sessions", verb, "unknown")).toMatchObject({ code: 4, stdout: "" });
});

test("a session's own budget applies to its next turn", async () => {
  await begin("budget");
  await run("sessions", "set", "budget", "--budget-max-bytes", "1", "--budget-over", "refuse");
  const refused = await run("sessions", "send", "budget", "echo again");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("over its budget");
  const explained = await run("sessions", "explain", "budget");
  expect(explained.stdout).toMatch(/✗ +budget +size 1 bytes/);
});

test("prune lists what it would do, and does exactly that", async () => {
  const home = { REPRISE_HOME: join(folder, "pruned") };
  const here = (...argv: string[]) =>
    runWith({ env: { ...home, REPRISE_PRUNE_AFTER: "1ms" } }, ...argv);
  await here("agent", "create", "echo", "--provider", "scripted");
  for (const key of ["idle", "kept", "old", "used"])
    await here("sessions", "send", key, "echo hi", "--agent", "echo");
  await here("sessions", "set", "idle", "--archive-after", "1ms");
  await here("sessions", "set", "kept", "--archive-after", "1ms");
  await here("sessions", "hold", "kept");
  await here("sessions", "archive", "old");

  const dry = JSON.parse((await here("sessions", "prune", "--dry-run", "--json")).stdout);
  const brief = ({ key, action }: { key: string; action: string }) => `${action} ${key}`;
  expect(dry).toMatchObject({ enforced: false, skipped: [] });
  expect(dry.steps.map(brief)).toEqual(["archive idle", "purge old"]);
  expect(dry.spared.map(brief)).toEqual(["archive kept"]);

  const warned = await here("sessions", "prune");
  expect(warned.stdout).toMatch(/^WHAT +KEY +WHY\narchive +idle +unused for/);
  expect(warned.stdout).toMatch(/^keep +kept +.*held by person$/m);
  expect(warned.stderr).toBe(
    "Nothing was changed (prune.mode is warn). Do it with: reprise session prune --enforce\n",
  );
  expect((await here("sessions", "list", "--json")).stdout).toContain('"old"');

  const enforced = JSON.parse((await here("sessions", "prune", "--enforce", "--json")).stdout);
  expect(enforced).toMatchObject({ enforced: true, skipped: [] });
  expect(enforced.steps.map(brief)).toEqual(dry.steps.map(brief));
  const after = JSON.parse((await here("sessions", "list", "--json")).stdout);
  expect(after).toMatchObject([
    { key: "used", archivedAt: null },
    { key: "kept", archivedAt: null },
    { key: "idle", archivedAt: expect.any(Number) },
  ]);
  expect((await runWith({ env: home }, "sessions", "prune")).stderr).toBe(
    "There is nothing to do.\n",
  );
  const mode = { ...home, REPRISE_PRUNE_MODE: "enforce", REPRISE_PRUNE_AFTER: "1ms" };
  expect((await runWith({ env: mode }, "sessions", "prune")).stderr).toBe(
    "0 archived, 1 purged.\n",
  );
});
