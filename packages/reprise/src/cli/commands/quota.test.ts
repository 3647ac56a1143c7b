import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

const { folder, run, document, remove } = testHome("quota");
afterAll(remove);

test("a used-up limit refuses with the reset and --now, status lists it, and a takeover is the first line", async () => {
  const script = join(folder, "script.json");
  const rule = {
    when: { prompt: "too much" },
    do: [{ fail: { kind: "quota", resetAt: 4_000_000_000_000 } }],
  };
  writeFileSync(script, JSON.stringify({ account: "account-1", rules: [rule] }));
  await run("agent", "create", "coder", "--provider", "scripted", "--set", `script=${script}`);
  await run("agent", "create", "helper", "--provider", "scripted");
  expect((await run("send", "k", "too much", "--agent", "coder")).code).toBe(1);

  const refused = await run("send", "k", "echo hi");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^refuse · quota: used up until 2096-10-02T07:06:40.000Z \(turn /);
  expect(refused.stderr).toContain("or try anyway with --now; the session is kept.");
  expect((await run("status")).stdout).toMatch(
    /^Limit {3}account of coder \(scripted\) used up until 2096-10-02T07:06:40.000Z, found by turn \w{8}$/m,
  );
  expect(await document("status")).toMatchObject({ limits: [{ agent: "coder", waiting: 0 }] });
  expect((await run("explain", "k", "--now")).stdout).toMatch(/✓ {2}quota +used up.*tried anyway/);

  await run("session", "set", "k", "--set", "onQuota=switch", "--set", "quotaAgent=helper");
  expect(await run("send", "k", "echo hi")).toMatchObject({ code: 0, stdout: "hi\n" });
  expect(await run("send", "k", "echo now", "--agent", "coder", "--now")).toMatchObject({
    stdout: "now\n",
    stderr: expect.stringMatching(
      /^reseed · coder \(scripted\) takes over from helper \(scripted\) · turn 4 of k /,
    ),
  });
  expect((await run("status")).stdout).not.toContain("Limit");
});
