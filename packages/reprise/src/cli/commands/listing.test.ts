/** Listings at the command line: their order, their filters, and counts beyond one page. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "@reprise/store/sqlite/open";
import { creation, item, step } from "@reprise/store/suite/runs/run-samples";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

describe("sessions", () => {
  const { folder, run, document, remove } = testHome("listing");
  const keys = async (...argv: string[]) =>
    (await document("session", "list", ...argv)).map(({ key }: { key: string }) => key);

  beforeAll(async () => {
    const rules = [{ when: { prompt: "choose" }, do: [{ ask: "Which database?" }] }];
    writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
    mkdirSync(join(folder, "sub"));
    await run("agent", "create", "coder", "--provider", "scripted");
    await run("agent", "create", "asker", "--provider", "scripted", "--set", "script=script.json");
    await run("send", "alpha", "hello", "--agent", "coder", "--folder", "sub");
    await run("send", "wf:r1:agent:coder", "hello", "--agent", "coder");
    await run("send", "beta", "choose", "--agent", "asker");
    await run("send", "gamma", "hello", "--agent", "coder");
    await run("send", "alpha", "again");
  });
  afterAll(remove);

  test("L3: the last used comes first, and the sessions of runs are left out unless asked for", async () => {
    expect(await keys()).toEqual(["alpha", "gamma", "beta"]);
    expect(await keys("--all")).toEqual(["alpha", "gamma", "beta", "wf:r1:agent:coder"]);
    const { stderr } = await run("session", "list");
    expect(stderr).toBe(
      "1 session of workflow runs not listed; show all with: reprise session list --all\n",
    );
  });

  test("L3: a session that waits for an answer says so", async () => {
    expect((await run("session", "list", "beta")).stdout).toMatch(/^beta .* waiting +\S/m);
  });

  test.each([
    [
      ["--agent", "coder"],
      ["alpha", "gamma", "wf:r1:agent:coder"],
    ],
    [["--status", "waiting"], ["beta"]],
    [["--folder", "sub"], ["alpha"]],
    [["--since", "1h", "bet"], ["beta"]],
    [["WF:"], ["wf:r1:agent:coder"]],
    [["nothing"], []],
  ])("L3: %j lists %j", async (argv, expected) => {
    expect(await keys(...argv)).toEqual(expected);
  });

  test("V17: a page says how many there are, and how to see the next", async () => {
    const { stdout, stderr } = await run("session", "list", "--limit", "2");
    expect(stdout.trim().split("\n")).toHaveLength(3);
    expect(stderr).toContain(
      "2 of 3 sessions. Show more with --limit 3, or the next with --after gamma\n",
    );
    expect(await keys("--limit", "2", "--after", "gamma")).toEqual(["beta"]);
  });

  test("L3: the inbox names the session that asks", async () => {
    expect((await run("inbox")).stdout).toMatch(/Which database\? +session beta /);
  });

  test("L1: status names the turn that waits", async () => {
    expect((await run("status")).stdout).toMatch(
      /Turns {3}0 running, 0 queued, 1 waiting for an answer\n +\w{8} {2}beta {2}asker {2}waiting/,
    );
  });
});

describe("more than a page", () => {
  const { folder, run, document, remove } = testHome("pages");
  afterAll(remove);

  test("V17: 1,300 gates are 1,300", async () => {
    await run("agent", "create", "coder", "--provider", "scripted");
    const store = await openSqliteStore(join(folder, "home", "reprise.db"));
    const ids = Array.from({ length: 1300 }, (_, at) => `item${String(at).padStart(4, "0")}`);
    await store.advanceRun(
      step(await store.createRun(creation("r1")), { opens: ids.map((id) => item(id)), at: 2000 }),
    );
    await store.close();
    expect(await document("status")).toMatchObject({ inbox: 1300 });
    expect(await document("inbox", "--limit", "2000")).toHaveLength(1300);
    expect((await run("inbox")).stderr).toContain("100 of 1,300 items.");
  });
});
