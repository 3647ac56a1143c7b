/** Transactions whose connection is lost. */

import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { type Cut, CuttingProxy } from "../../../../test/postgres/cutting-proxy.ts";
import { until } from "../../../../test/until.ts";
import { creation } from "../suite/runs/run-samples.ts";
import { finish, opening } from "../suite/samples.ts";
import { openPostgresStore, type PostgresOptions } from "./open.ts";
import { openPostgresScratch } from "./test-scratch.ts";

async function storeBehindProxy(options: PostgresOptions = {}) {
  const scratch = await openPostgresScratch();
  onTestFinished(scratch.cleanup);
  const proxy = await CuttingProxy.start(Number(new URL(scratch.url).port));
  onTestFinished(() => proxy.close());
  const store = await openPostgresStore(proxy.url(scratch.url), options);
  onTestFinished(() => store.close());
  return { ...scratch, proxy, store, direct: scratch.store };
}

const cuts: readonly (readonly [when: string, Cut])[] = [
  ["before the commit", "before"],
  ["after the commit", "after"],
  ["before the commit, and the server does not notice", "unnoticed"],
];

test.each(cuts)("a connection is cut %s: the write is there once", async (_, cut) => {
  const { proxy, store, direct } = await storeBehindProxy();
  const append = { stream: "run:1", due: [], at: 1 };
  const events = [{ type: "a", data: {} }];
  expect(await store.appendEvents({ ...append, expectedSeq: 0, events })).toBe(1);

  proxy.cutNext(cut);
  expect(await store.appendEvents({ ...append, expectedSeq: 1, events })).toBe(2);
  expect(proxy.hasCut).toBe(true);

  expect(await store.appendEvents({ ...append, expectedSeq: 2, events })).toBe(3);
  const stored = await direct.readEvents({ after: 0, limit: 10 });
  expect(stored.map(({ streamSeq }) => streamSeq)).toEqual([1, 2, 3]);
});

test.each(cuts)("a connection is cut %s: what was written is read again", async (_, cut) => {
  const { proxy, store, direct } = await storeBehindProxy();
  proxy.cutNext(cut);
  const { turn, facts } = await store.beginTurn(opening("t1", "a"));
  expect(proxy.hasCut).toBe(true);
  expect(turn).toMatchObject({ id: "t1", status: "running" });
  expect(facts).toMatchObject({ session: { key: "a", status: "running" } });

  proxy.cutNext(cut);
  const finished = await store.finishTurn(finish({ turn: "t1", token: turn.token }));
  expect(proxy.hasCut).toBe(true);
  expect(finished).toEqual({ turn: await direct.readTurn("t1"), next: null });
  expect(finished.turn.status).toBe("done");
  const events = await direct.readEvents({ after: 0, limit: 10 });
  const types = events.map(({ type }) => type);
  expect(types).toEqual(["session.created", "turn.opened", "turn.finished"]);
});

test.each(["unnoticed", "stalled"] as const)(
  "the server ends a transaction whose client is silent (%s), and the write is tried again",
  async (cut) => {
    const { proxy, store, direct } = await storeBehindProxy({ silence: 2000 });
    proxy.cutNext(cut, "FROM turn WHERE key");
    expect(await store.openTurn(opening("t1", "a"))).toMatchObject({ id: "t1", status: "queued" });
    expect(proxy.hasCut).toBe(true);
    expect(await direct.listTurns({ key: "a", limit: 10 })).toHaveLength(1);
  },
);

test("writes that share a transaction are not repeated while its outcome is unknown", async () => {
  const { proxy, store, direct } = await storeBehindProxy({ patience: 0 });
  proxy.cutNext("after");
  const creations = ["r1", "r2"].map((id) => store.createRun(creation(id)));
  for (const result of await Promise.allSettled(creations))
    expect(result).toMatchObject({ status: "rejected", reason: { code: "store-unreachable" } });
  const events = await direct.readEvents({ after: 0, limit: 10 });
  expect(events.map(({ type }) => type)).toEqual(["run.started", "run.started"]);
});

test.each([
  ["reads", "BEGIN ISOLATION LEVEL REPEATABLE READ"],
  ["writes", "BEGIN\0"],
])("a store that %s uses another connection when the server is silent", async (_, statement) => {
  const { proxy, store } = await storeBehindProxy({ patience: 3000 });
  proxy.cutNext("stalled", statement);
  if (statement === "BEGIN\0") await store.createRun(creation("r1"));
  else expect(await store.readRun("r1")).toBeNull();
  expect(proxy.hasCut).toBe(true);
});

test("a verb gives up when the server is silent on all connections", async () => {
  const { proxy, store } = await storeBehindProxy({ patience: 1500 });
  proxy.freeze();
  await expect(store.readRun("r1")).rejects.toMatchObject({ code: "store-unreachable" });
});

test("a statement may take long while the server works on it", async () => {
  const { proxy, store, url } = await storeBehindProxy({ patience: 1500 });
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("BEGIN; LOCK TABLE run");
  let isOver = false;
  const read = store.readRun("r1").finally(() => {
    isOver = true;
  });
  const asked = proxy.connections;
  await until(() => proxy.connections > asked + 1, "the server was asked about the statement");
  expect(isOver).toBe(false);
  await client.query("COMMIT");
  expect(await read).toBeNull();
});

test("a store listens again for the commits of others when the server was silent", async () => {
  const { proxy, store, query } = await storeBehindProxy({ patience: 1500 });
  proxy.cutNext("stalled", "LISTEN");
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  let mark = 0;
  await until(async () => {
    mark = await store.changes(mark, stop.signal);
    const listening = await query(
      "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
    );
    return listening.length > 0;
  }, "the store listens");
  expect(proxy.hasCut).toBe(true);
});
