/** Numbers of events after a reboot, which can have lost buffered events that a reader has seen. */

import { expect, onTestFinished, test } from "vitest";
import { openScratch } from "../suite/sqlite-scratch.ts";

async function scratch() {
  const opened = await openScratch();
  onTestFinished(opened.cleanup);
  return opened;
}

const append = { stream: "run:1", due: [], at: 10 };
const events = (...types: string[]) => types.map((type) => ({ type, data: { type } }));

test("a reboot skips numbers of events", async () => {
  const { store, reopen } = await scratch();
  await store.recordBoot({ boot: "monday", at: 1 });
  await store.appendEvents({ ...append, expectedSeq: 0, events: events("a", "b") });
  await (await reopen()).recordBoot({ boot: "monday", at: 2 });
  expect(await store.lastEvent()).toBe(2);

  const others = await Promise.all([reopen(), reopen()]);
  await Promise.all(others.map((other) => other.recordBoot({ boot: "tuesday", at: 3 })));
  await store.appendEvents({ ...append, expectedSeq: 2, events: events("c") });
  const stored = await store.readEvents({ after: 2, limit: 10 });
  expect(stored).toMatchObject([
    { stream: "home", streamSeq: 1, type: "home.booted", at: 3 },
    { stream: "run:1", streamSeq: 3, type: "c" },
  ]);
  expect(stored[0]!.seq).toBeGreaterThan(500_000);
  expect(stored[1]!.seq).toBe(stored[0]!.seq + 1);
});

test("a reboot skips numbers of events even if no event is left", async () => {
  const { store } = await scratch();
  await store.recordBoot({ boot: "monday", at: 1 });
  await store.recordBoot({ boot: "tuesday", at: 2 });
  const [booted] = await store.readEvents({ after: 0, limit: 10 });
  expect(booted).toMatchObject({ stream: "home", type: "home.booted", at: 2 });
  expect(booted!.seq).toBeGreaterThan(500_000);
});
