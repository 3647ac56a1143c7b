import { rmSync } from "node:fs";
import { StoreError } from "@reprise/core/errors/errors";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openEngine } from "../open-reprise.ts";
import { settleDeadlines } from "../runs.ts";

const workflow = `
name: Deadline
steps:
  sign-off: { gate: { title: "Ship it?", choices: [ship, drop], deadline: 1s, onDeadline: drop } }
`;
const day = 24 * 60 * 60 * 1000;

test("a deadline that cannot be settled is tried later and later, then once a day, and keeps no other waiting", async () => {
  const home = temporaryFolder("deadlines");
  const clock = { now: Date.now() };
  let failing = "";
  const { engine, reprise } = await openEngine({
    home,
    now: () => clock.now,
    wrap: {
      store: (store) => ({
        ...store,
        expireItem: async (expire) => {
          if (expire.item === failing) throw new StoreError("store-io", "It failed.", "Look.");
          return store.expireItem(expire);
        },
      }),
    },
  });
  onTestFinished(async () => {
    await reprise.close();
    rmSync(home, { recursive: true });
  });
  const open = async () => (await reprise.inbox.list()).map(({ id }) => id);
  await reprise.runs.start({ source: workflow });
  await reprise.runs.start({ source: workflow });
  const [first, second] = await open();
  failing = first!;
  clock.now += 1000;
  expect(await settleDeadlines(engine)).toEqual([]);
  expect(await open()).toEqual([first]);
  expect(await reprise.inbox.show(second!)).toMatchObject({ resolution: { how: "expired" } });

  for (const pause of [5, 10, 20]) {
    clock.now += pause * 1000;
    expect(await settleDeadlines(engine)).toEqual([]);
  }
  const findings = async () =>
    (await reprise.doctor()).findings.filter(({ subject }) => subject.startsWith("inbox"));
  expect(await findings()).toEqual([]);
  clock.now += 40_000;
  const parked = { item: first, error: "StoreError: It failed." };
  expect(await settleDeadlines(engine)).toEqual([parked]);
  clock.now += 60_000;
  // It waits only for us, so a person has to know.
  expect(await findings()).toMatchObject([
    { subject: `inbox item ${first!.slice(0, 8)}`, state: "problem" },
  ]);
  expect((await findings())[0]?.text).toContain('The deadline of "Ship it?" passed at ');
  failing = "";
  clock.now += day - 60_000 - 1;
  expect(await settleDeadlines(engine)).toEqual([]);
  expect(await open()).toEqual([first]);
  clock.now += 1;
  await settleDeadlines(engine);
  expect(await open()).toEqual([]);
  expect(await findings()).toEqual([]);
});
