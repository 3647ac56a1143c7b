import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import type { Store } from "@reprise/store/store";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openReprise } from "../open-reprise.ts";

const day = 24 * 3600 * 1000;

/** One session that is due to be archived and one to be purged; `meanwhile` runs before each step. */
async function opened(meanwhile: (reprise: Reprise) => Promise<unknown>): Promise<Reprise> {
  const folder = temporaryFolder("prune");
  let now = 1_000 * day;
  let pruning = false;
  const reprise = await openReprise({
    home: join(folder, "home"),
    cwd: folder,
    settings: { archiveAfter: "30d" },
    now: () => now,
    wrap: {
      store: (store) =>
        new Proxy(store, {
          get(target, name: keyof Store) {
            if (name !== "archiveSession" && name !== "purgeSession") return target[name];
            return async (input: never) => {
              if (pruning) await meanwhile(reprise);
              return target[name](input);
            };
          },
        }),
    },
  });
  onTestFinished(async () => {
    await reprise.close();
    await rm(folder, { recursive: true });
  });
  await reprise.agents.create({ name: "echo", provider: "scripted" });
  for (const key of ["idle", "old"])
    await reprise.sessions.send({ key, agent: "echo", prompt: "echo hi" });
  await reprise.sessions.archive("old");
  now += 200 * day;
  pruning = true;
  return reprise;
}

const keys = ({ steps }: { steps: readonly { action: string; key: string }[] }) =>
  steps.map(({ action, key }) => `${action} ${key}`);

test("without a change in between, both steps are done", async () => {
  const { sessions } = await opened(async () => {});
  expect(keys(await sessions.prune({ enforce: true }))).toEqual(["archive idle", "purge old"]);
});

test("a session that is held while prune runs is left alone and reported", async () => {
  const { sessions } = await opened(async (reprise) => {
    for (const key of ["idle", "old"]) await reprise.sessions.hold({ key, by: "gate" });
  });
  const report = await sessions.prune({ enforce: true });
  expect(report.steps).toEqual([]);
  expect(report.skipped).toEqual([
    { key: "idle", action: "archive", reason: "Session idle is held by gate." },
    { key: "old", action: "purge", reason: "Session old is held by gate." },
  ]);
  expect(await sessions.list()).toMatchObject([{ key: "idle", archivedAt: null }, { key: "old" }]);
});

test("a session that is used or revived while prune runs is left alone and reported", async () => {
  const { sessions } = await opened(async (reprise) => {
    await reprise.sessions.send({ key: "idle", prompt: "echo again" });
    await reprise.sessions.revive("old");
  });
  const report = await sessions.prune({ enforce: true });
  expect(report.steps).toEqual([]);
  expect(report.skipped).toMatchObject([{ key: "idle" }, { key: "old" }]);
  expect(await sessions.list()).toMatchObject([
    { key: "idle", archivedAt: null },
    { key: "old", archivedAt: null },
  ]);
});
