/** What only the PostgreSQL store does. */

import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { StoredEvent } from "../contract/events.ts";
import { openPostgresStore } from "./open.ts";
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

/** `REPRISE_EVENTS_AT_ONCE=25` makes it 100,000 events. */
const atOnce = Number(process.env.REPRISE_EVENTS_AT_ONCE ?? 1);
const [writers, writes] = [8, 500];

test(`a reader that follows eight writers of ${writers * writes * atOnce} events sees every one, in order`, async () => {
  const { store, reopen } = await scratch();
  const stores = await Promise.all([reopen(), reopen()]);
  let isOver = false;
  const write = async (writer: number) => {
    const events = Array.from({ length: atOnce }, () => ({ type: "a", data: {} }));
    const append = { stream: `run:${writer}`, events, due: [], at: 1 };
    for (let expectedSeq = 0; expectedSeq < writes * atOnce; expectedSeq += atOnce)
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
    const page = await store.readEvents({ after: seen.at(-1)?.seq ?? 0, limit: 50 * atOnce });
    seen.push(...page);
    if (page.length > 0) continue;
    if (wasOver) break;
    await store.changes(mark, never);
  }
  await writing;
  expect(seen).toHaveLength(writers * writes * atOnce);
  for (const [stream, of] of Map.groupBy(seen, (event) => event.stream))
    expect({ stream, numbers: of.map(({ streamSeq }) => streamSeq) }).toEqual({
      stream,
      numbers: Array.from({ length: writes * atOnce }, (_, index) => index + 1),
    });
});

/** A transaction of another program that has written something and stays open. */
async function openTransaction(url: string, sql: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`BEGIN; ${sql}`);
  return client;
}

const one = { events: [{ type: "a", data: {} }], expectedSeq: 0, due: [], at: 1 };
const insertion = `INSERT INTO event (seq, stream, stream_seq, type, at, data)
  VALUES (next_event(), 'run:1', 1, 'a', 1, '{}')`;

test("a transaction of another database does not delay the readers of events", async () => {
  const [{ store }, other] = [await scratch(), await scratch()];
  await openTransaction(other.url, insertion);
  await store.appendEvents({ ...one, stream: "run:2" });
  expect(await store.readEvents({ after: 0, limit: 9 })).toHaveLength(1);
  expect(await store.lastEvent()).toBeGreaterThan(0);
});

test.each([
  ["open", "COMMIT"],
  ["prepared", "COMMIT PREPARED 'one'"],
])("an event of a transaction that is %s holds back the later ones", async (state, commit) => {
  const { store, url } = await scratch();
  const client = await openTransaction(url, insertion);
  if (state === "prepared") await client.query("PREPARE TRANSACTION 'one'");
  await store.appendEvents({ ...one, stream: "run:2" });
  expect(await store.readEvents({ after: 0, limit: 9 })).toEqual([]);
  expect(await store.lastEvent()).toBe(0);

  await client.query(commit);
  const stored = await store.readEvents({ after: 0, limit: 9 });
  expect(stored.map(({ stream }) => stream)).toEqual(["run:1", "run:2"]);
});

test("a user without special rights sees which transactions of others are open", async () => {
  const { store, url, query } = await scratch();
  await query(`
    CREATE ROLE guest LOGIN;
    GRANT SELECT, UPDATE, INSERT, DELETE ON ALL TABLES IN SCHEMA public TO guest`);
  onTestFinished(async () => {
    await query("DROP OWNED BY guest; DROP ROLE guest");
  });
  const guest = await openPostgresStore(url.replace("reprise@", "guest@"));
  onTestFinished(() => guest.close());
  const client = await openTransaction(url, insertion);
  await store.appendEvents({ ...one, stream: "run:2" });
  expect(await guest.readEvents({ after: 0, limit: 9 })).toEqual([]);
  await client.query("COMMIT");
  expect(await guest.readEvents({ after: 0, limit: 9 })).toHaveLength(2);
});

test("transactions are compared by the lower half of their numbers", async () => {
  const { query } = await scratch();
  const behind = (number: bigint, listed: bigint) =>
    `transactions_behind(${number}, '${listed}') = ${number - ((number >> 32n) * 2n ** 32n + listed)}`;
  const epoch = 2n ** 32n;
  expect(
    await query(`SELECT ${behind(1000n, 990n)} AND ${behind(5n * epoch + 7n, 7n)}
      AND transactions_behind(${epoch + 3n}, '${epoch - 2n}') = 5
      AND transactions_behind(${epoch - 2n}, '3') = -5 AS same`),
  ).toEqual([{ same: true }]);
});

test("callers that wait for a short time are woken by a commit of which no one notifies them", async () => {
  const { store, query } = await scratch();
  const mark = await store.changes(0, AbortSignal.timeout(100));
  await query("INSERT INTO boot (id) VALUES ('another')");
  let isWoken = false;
  while (!isWoken) isWoken = (await store.changes(mark, AbortSignal.timeout(100))) !== mark;
});

test("the server's clock decides what is due", async () => {
  const { url } = await scratch();
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  const now = await store.now();
  expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
  const due = [-60_000, 60_000].map((more) => ({
    ...{ id: `due:${more}`, key: `key:${more}`, at: now + more, payload: null },
  }));
  await store.appendEvents({ stream: "run:1", expectedSeq: 0, events: [], due, at: 1 });
  const claimed = await store.claimDue({ owner: "o", limit: 9 });
  expect(claimed.map(({ id }) => id)).toEqual(["due:-60000"]);
});
