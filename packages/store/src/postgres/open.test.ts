/** What only the PostgreSQL store does. */

import { expect, onTestFinished, test } from "vitest";
import type { StoredEvent } from "../contract/events.ts";
import { openPostgresScratch } from "./test-scratch.ts";

async function scratch() {
  const opened = await openPostgresScratch();
  onTestFinished(opened.cleanup);
  return opened;
}

test("a backup is refused, and pg_dump is named instead", async () => {
  const { store } = await scratch();
  await expect(store.backup("copy")).rejects.toMatchObject({
    name: "UsageError",
    code: "backup-not-supported",
    hint: expect.stringContaining("pg_dump"),
  });
});

test("a check reads every table and reports the size of the database", async () => {
  const { store } = await scratch();
  for (const full of [false, true]) {
    const report = await store.check({ full });
    expect(report).toMatchObject({ sound: true, problems: [] });
    expect(report.bytes).toBeGreaterThan(1_000_000);
    expect(report.path).toMatch(/^127\.0\.0\.1:\d+\/home_\d+$/);
  }
});

test("a database of a newer Reprise is left alone", async () => {
  const { store, reopen, query } = await scratch();
  const { schema } = await store.check({ full: false });
  await query("UPDATE schema_version SET version = 9999");
  onTestFinished(async () => {
    await query(`UPDATE schema_version SET version = ${schema}`);
  });
  await expect(reopen()).rejects.toMatchObject({ name: "StoreError", code: "store-newer" });
});

test("events get numbers that were never given after the server was another one", async () => {
  const { store, reopen, query } = await scratch();
  const append = { stream: "run:1", due: [], at: 1, events: [{ type: "a", data: {} }] };
  await store.appendEvents({ ...append, expectedSeq: 0 });
  const last = await store.lastEvent();
  // As after a dump of a server that has counted more transactions.
  await query(`UPDATE event SET seq = seq + 1000000000; UPDATE incarnation SET id = 'another'`);
  const restored = await reopen();
  await restored.appendEvents({ ...append, expectedSeq: 1 });
  const [, second] = await restored.readEvents({ after: 0, limit: 9 });
  expect(second!.seq).toBeGreaterThan(last + 1_000_000_000);
  expect(await restored.lastEvent()).toBe(second!.seq);
});

test("a reader that follows eight writers sees every event, in order", async () => {
  const { store, reopen } = await scratch();
  const [writers, events] = [8, 500];
  const stores = await Promise.all([reopen(), reopen()]);
  let isOver = false;
  const write = async (writer: number) => {
    const append = { stream: `run:${writer}`, events: [{ type: "a", data: {} }], due: [], at: 1 };
    for (let expectedSeq = 0; expectedSeq < events; expectedSeq += 1)
      await stores[writer % 2]!.appendEvents({ ...append, expectedSeq });
  };
  const writing = Promise.all(
    Array.from({ length: writers }, (_, writer) => write(writer)),
  ).finally(() => {
    isOver = true;
  });

  const seen: StoredEvent[] = [];
  const never = new AbortController().signal;
  for (;;) {
    const wasOver = isOver;
    const mark = await store.changes(0, never);
    const page = await store.readEvents({ after: seen.at(-1)?.seq ?? 0, limit: 50 });
    seen.push(...page);
    if (page.length > 0) continue;
    if (wasOver) break;
    await store.changes(mark, never);
  }
  await writing;
  expect(seen).toHaveLength(writers * events);
  for (const [stream, of] of Map.groupBy(seen, (event) => event.stream))
    expect({ stream, numbers: of.map(({ streamSeq }) => streamSeq) }).toEqual({
      stream,
      numbers: Array.from({ length: events }, (_, index) => index + 1),
    });
});
