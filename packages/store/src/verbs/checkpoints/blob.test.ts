import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { CheckpointPart } from "../../contract/checkpoints.ts";
import type { Store } from "../../store.ts";
import { checkpoint, finish, hold, part, pin } from "../../suite/samples.ts";
import { openScratch } from "../../suite/sqlite-scratch.ts";
import { pack, unpack } from "./checkpoint.ts";

const text = (words: string) => new TextEncoder().encode(words);
const noise = (length: number) =>
  new Uint8Array(
    Buffer.concat(
      Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
        hash("sha256", String(index), "buffer"),
      ),
    ).subarray(0, length),
  );

interface Blob {
  readonly sha256: string;
  readonly size: number;
  readonly encoding: string;
  readonly stored: number;
}

async function use() {
  const { store, path, cleanup } = await openScratch();
  onTestFinished(cleanup);
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  const blobs = () =>
    database
      .prepare("SELECT sha256, size, encoding, length(bytes) AS stored FROM blob ORDER BY size")
      .all() as unknown as Blob[];
  return { store, database, blobs };
}

async function save(
  store: Store,
  turn: string,
  parts: CheckpointPart[],
  { key = "a", handle = "h1" } = {},
): Promise<void> {
  await store.finishTurn(
    finish(await hold(store, turn, key), {
      pin: pin(handle),
      checkpoint: checkpoint(parts, { handle }),
    }),
  );
}

test("bytes are compressed where that makes them smaller, and come back", async () => {
  for (const size of [100_000, 1_000_000]) {
    const even = new Uint8Array(size).fill(7);
    const packed = await pack(even);
    expect(packed.encoding).toBe("zstd");
    expect(packed.packed.length).toBeLessThan(200);
  }
  const all = [new Uint8Array(1_000_000).fill(7), noise(1000), noise(300_000), text("x")];
  for (const bytes of [...all, new Uint8Array()]) {
    const packed = await pack(bytes);
    expect(packed.packed.length).toBeLessThanOrEqual(bytes.length);
    expect(unpack(packed, bytes.length)).toEqual(bytes);
  }
  expect((await pack(noise(1000))).encoding).toBe("plain");
});

test("what cannot be unpacked is nothing, and never more than was packed", async () => {
  const { packed } = await pack(new Uint8Array(100_000).fill(7));
  expect(unpack({ encoding: "zstd", packed: packed.subarray(0, 10) }, 100_000)).toHaveLength(0);
  expect(unpack({ encoding: "zstd", packed: noise(50) }, 100_000)).toHaveLength(0);
  expect(unpack({ encoding: "zstd", packed }, 99_999)).toHaveLength(0);
});

test("equal bytes are stored once", async () => {
  const { store, blobs } = await use();
  const bytes = text("the same again and again. ".repeat(200));
  await save(store, "t1", [part("log", 0, bytes), part("copy", 0, bytes)]);
  await save(store, "t2", [part("log", 0, bytes)], { key: "b", handle: "h2" });
  const [blob, ...others] = blobs();
  expect(others).toEqual([]);
  expect(blob).toMatchObject({ sha256: hash("sha256", bytes, "hex"), size: bytes.length });
  expect(blob?.encoding).toBe("zstd");
  expect(blob?.stored).toBeLessThan(bytes.length / 10);
});

test("bytes go with the last part that has them: purged, superseded, or of a replaced handle", async () => {
  const { store, blobs } = await use();
  const shared = part("log", 0, text("shared"));
  await save(store, "t1", [shared]);
  await save(store, "t2", [shared], { key: "b" });
  await save(store, "t3", [part("log", 6, text(" and more"))]);
  expect(blobs()).toHaveLength(2);
  await store.purgeSession({ key: "a", at: 3000 });
  expect(blobs()).toMatchObject([{ sha256: shared.sha256 }]);

  for (const [index, words] of ["first", "second!", "third now"].entries())
    await save(store, `s${index}`, [part("log", 0, text(words))], { key: "b" });
  expect(blobs().map(({ size }) => size)).toEqual([7, 9]);
  await save(store, "t9", [part("log", 0, text("of another"))], { key: "b", handle: "h2" });
  expect(blobs().map(({ size }) => size)).toEqual([10]);
  await store.purgeSession({ key: "b", at: 4000 });
  expect(blobs()).toEqual([]);
});

test("a damaged blob gives no bytes; writing the same bytes again repairs it", async () => {
  const { store, database } = await use();
  const whole = part("log", 0, text("to be or not to be ".repeat(50)));
  await save(store, "t1", [whole]);
  database.exec("UPDATE blob SET bytes = zeroblob(length(bytes))");
  const read = (key: string) => store.readCheckpoints({ key, agent: "coder", handle: "h1" });
  expect((await read("a")).parts).toEqual([{ ...whole, bytes: new Uint8Array() }]);
  await save(store, "t2", [whole], { key: "b" });
  expect((await read("a")).parts).toEqual([whole]);
});

test("a checkpoint whose row can no longer be read has no files", async () => {
  const { store, database } = await use();
  await save(store, "t1", [part("log", 0, text("one"))]);
  await save(store, "t2", [part("log", 3, text("two"))]);
  database.exec("UPDATE checkpoint SET files = substr(files, 1, 20) WHERE number = 2");
  const { heads } = await store.readCheckpoints({ key: "a", agent: "coder", handle: "h1" });
  expect(heads).toMatchObject([
    { number: 2, files: [], standing: null },
    { number: 1, files: [{ name: "log", size: 3 }] },
  ]);
  await save(store, "t3", [part("log", 0, text("one two three"))]);
  expect(await store.load({ key: "a", agent: "coder" })).toMatchObject({
    checkpoint: { number: 3, files: [{ name: "log", size: 13, snapshot: 13 }] },
  });
});
