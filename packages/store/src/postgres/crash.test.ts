/** A server that is killed while stores write. */

import { expect, onTestFinished, test } from "vitest";
import { Cluster } from "../../../../test/postgres/cluster.ts";
import { CuttingProxy } from "../../../../test/postgres/cutting-proxy.ts";
import { patience, until } from "../../../../test/until.ts";
import type { Store } from "../store.ts";
import { creation } from "../suite/runs/run-samples.ts";
import { agent, opening, owner } from "../suite/samples.ts";
import { openPostgresStore } from "./open.ts";

const streams = Array.from({ length: 8 }, (_, index) => `run:${index}`);

test("every acknowledged write is there once after the server was killed", async () => {
  const cluster = await Cluster.start();
  onTestFinished(() => cluster.remove());
  const url = await cluster.createDatabase();
  const stores = await Promise.all([openPostgresStore(url), openPostgresStore(url)]);
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });

  let acknowledged = 0;
  let isOver = false;
  const writing = Promise.all(
    streams.map(async (stream, index) => {
      const store = stores[index % 2]!;
      let last = 0;
      while (!isOver) {
        last = await appendAfter(store, stream, last);
        acknowledged += 1;
      }
      return last;
    }),
  );
  const killedOften = async () => {
    for (let kills = 0; kills < 3; kills += 1) {
      const before = acknowledged;
      await until(() => acknowledged > before + 100, "the stores write");
      await cluster.kill();
      await cluster.start();
    }
    isOver = true;
  };
  const [lasts] = await Promise.all([writing, killedOften()]);

  const seqs: number[] = [];
  for (const [index, stream] of streams.entries()) {
    const stored = await stores[0]!.readEvents({ after: 0, limit: 100_000, stream });
    expect(stored.map(({ streamSeq }) => streamSeq)).toEqual(
      Array.from({ length: lasts[index]! }, (_, position) => position + 1),
    );
    seqs.push(...stored.map(({ seq }) => seq));
  }
  expect(new Set(seqs).size).toBe(seqs.length);
});

test("a write that a crash has lost is not taken for one of a later run of the server", async () => {
  const cluster = await Cluster.start();
  onTestFinished(() => cluster.remove());
  const url = await cluster.createDatabase();
  const other = await openPostgresStore(url);
  onTestFinished(() => other.close());
  const proxy = await CuttingProxy.start(cluster.port);
  onTestFinished(() => proxy.close());
  const store = await openPostgresStore(proxy.url(url), { patience });
  onTestFinished(() => store.close());

  proxy.cutNext("unnoticed", "INSERT INTO event");
  proxy.pause();
  const lost = expect(appendOne(store, "run:1", 0)).rejects.toMatchObject({
    code: "store-unreachable",
  });
  await until(() => proxy.hasCut, "the write is lost");
  // The number of its transaction is given again in the first of these runs.
  for (const last of [0, 1]) {
    await cluster.kill();
    await cluster.start();
    await appendOne(other, "run:2", last);
  }
  proxy.resume();
  await lost;
  expect(await other.readEvents({ after: 0, limit: 10, stream: "run:1" })).toEqual([]);
});

function appendOne(store: Store, stream: string, expectedSeq: number): Promise<number> {
  const events = [{ type: "a", data: {} }];
  return store.appendEvents({ stream, expectedSeq, events, due: [], at: 1 });
}

test("a server that crashes gives no fencing token again", async () => {
  const cluster = await Cluster.start();
  onTestFinished(() => cluster.remove());
  const store = await openPostgresStore(await cluster.createDatabase());
  onTestFinished(() => store.close());
  await store.createAgent(agent());
  await store.createRun(creation("r1"));
  await store.openTurn(opening("taken", "a"));
  await store.openTurn(opening("claimed", "b"));
  const [first, second] = [owner(1), owner(2)];

  await cluster.holdBuffered();
  expect(await store.takeOver({ turn: "taken", token: 0, owner: first })).toBe(1);
  expect(await store.claimTurn({ turn: "claimed", owner: first, at: 2 })).toMatchObject({
    token: 1,
  });
  expect(await store.takeRun({ run: "r1", token: 1, owner: first })).toBe(2);
  await store.beginTurn(opening("begun", "c", { owner: first, durability: "buffered" }));
  await cluster.kill();
  await cluster.start();

  expect(await store.takeOver({ turn: "taken", token: 0, owner: second })).toBeNull();
  expect(await store.takeOver({ turn: "claimed", token: 0, owner: second })).toBeNull();
  expect(await store.takeRun({ run: "r1", token: 1, owner: second })).toBeNull();
  expect(await store.readTurn("begun")).toMatchObject({ status: "running", token: 1 });
});

/** Appends one event after the `last` one; a write that was lost or done twice is a conflict. */
async function appendAfter(store: Store, stream: string, last: number): Promise<number> {
  try {
    return await appendOne(store, stream, last);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "store-unreachable"))
      throw error;
    // The machine was so slow that the store gave up. Only then is it unknown whether the event was written.
    const written = await store.readEvents({ after: 0, limit: 100_000, stream });
    expect([last, last + 1]).toContain(written.length);
    return written.length;
  }
}
