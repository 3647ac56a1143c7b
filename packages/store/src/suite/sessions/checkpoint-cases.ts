/** Cases about checkpoints: the parts of every file, in order, for the pinned handle. */

import type { CheckpointPart } from "../../contract/checkpoints.ts";
import type { Store } from "../../store.ts";
import { type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import { checkpoint, finish, hold, part, pin, standing } from "../samples.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

export function checkpointCases(open: Open): void {
  const save = async (
    store: Store,
    turn: string,
    parts: CheckpointPart[],
    { handle = "h1", key = "a", agent = "coder" } = {},
  ) =>
    store.finishTurn(
      finish(await hold(store, turn, key, { request: { agent } }), {
        pin: pin(handle, { agent }),
        checkpoint: checkpoint(parts, { handle }),
      }),
    );
  const read = async (store: Store, { handle = "h1", key = "a" } = {}) =>
    (await store.readCheckpoints({ key, agent: "coder", handle })).parts;
  const head = async (store: Store) => (await store.load({ key: "a", agent: "coder" })).checkpoint;

  describe("checkpoints", () => {
    test("are the parts of each file, oldest first", async () => {
      const { store, reopen } = await use(open);
      const log = [part("log", 0, bytes("one")), part("log", 3, bytes("two"))] as const;
      const index = part("index", 0, new Uint8Array([0, 255, 128]));
      const late = part("log", 6, bytes("three"));
      await save(store, "t1", [log[0], index]);
      await save(store, "t2", [log[1]]);
      await save(store, "t3", [late]);
      expect(await read(await reopen())).toEqual([index, ...log, late]);
      expect(await head(store)).toEqual({
        number: 3,
        version: 1,
        agent: "coder",
        provider: "scripted",
        handle: "h1",
        model: "m1",
        turn: "t3",
        standing,
        files: [
          { name: "log", size: 11, whole: "log up to 11", snapshot: 3 },
          { name: "index", size: 3, whole: "index up to 3", snapshot: 3 },
        ],
        at: 2000,
      });
    });

    test("are all listed, newest first, each with its files", async () => {
      const { store } = await use(open);
      await save(store, "t1", [part("log", 0, bytes("one"))]);
      await save(store, "t2", [part("log", 3, bytes("two")), part("index", 0, bytes("x"))]);
      const { heads } = await store.readCheckpoints({ key: "a", agent: "coder", handle: "h1" });
      expect(heads).toMatchObject([
        { number: 2, turn: "t2", files: [{ name: "log", size: 6 }, { name: "index" }] },
        { number: 1, turn: "t1", files: [{ name: "log", size: 3 }] },
      ]);
      expect(heads[1]?.files).toHaveLength(1);
      expect(heads[0]).toEqual(await head(store));
    });

    test("keep the snapshot before the newest one, and nothing from before that", async () => {
      const { store } = await use(open);
      const other = part("other", 0, bytes("kept"));
      const [first, second, third] = ["one", "1", "I"].map((text) => part("log", 0, bytes(text)));
      await save(store, "t1", [first!, other]);
      const appended = part("log", 3, bytes("two"));
      await save(store, "t2", [appended]);
      await save(store, "t3", [second!]);
      expect(await read(store)).toEqual([first, appended, second, other]);
      const behind = part("log", 1, bytes("2"));
      await save(store, "t4", [behind]);
      await save(store, "t5", [third!]);
      expect(await read(store)).toEqual([second, behind, third, other]);
      expect(await head(store)).toMatchObject({
        number: 5,
        files: [{ name: "log", snapshot: 1 }, { name: "other" }],
      });
    });

    test("of an empty file are kept; an unchanged file makes no new one", async () => {
      const { store } = await use(open);
      const empty = part("log", 0, new Uint8Array());
      await save(store, "t1", [empty]);
      await save(store, "t2", []);
      await save(store, "t3", [empty]);
      expect(await read(store)).toEqual([empty]);
      expect(await head(store)).toMatchObject({ number: 1, files: [{ name: "log", size: 0 }] });
    });

    test("come back byte by byte, however well they can be compressed", async () => {
      const { store, reopen } = await use(open);
      const noise = Uint8Array.from(
        { length: 5000 },
        (_, index) => (index * index * 2654435761) >>> 24,
      );
      const parts = [
        part("empty", 0, new Uint8Array()),
        part("even", 0, new Uint8Array(300_000).fill(97)),
        part("noise", 0, noise),
        part("short", 0, bytes("x")),
      ];
      await save(store, "t1", parts);
      expect(await read(await reopen())).toEqual(parts);
    });

    test("share equal bytes, and each keeps them when the other goes", async () => {
      const { store } = await use(open);
      const same = part("log", 0, bytes("the same in both"));
      await save(store, "t1", [same, part("copy", 0, same.bytes)]);
      await save(store, "t2", [same], { key: "b" });
      await store.purgeSession({ key: "a", at: 3000 });
      expect(await read(store, { key: "b" })).toEqual([same]);
      expect(await read(store)).toEqual([]);
      await save(store, "t3", [same]);
      await store.purgeSession({ key: "b", at: 4000 });
      expect(await read(store)).toEqual([same]);
    });

    test("of a handle are removed with the first checkpoint of another one", async () => {
      const { store } = await use(open);
      const [first, second] = [part("log", 0, bytes("one")), part("log", 0, bytes("two"))];
      await save(store, "t1", [first]);
      await store.finishTurn(finish(await hold(store, "t2", "a"), { pin: pin("h2") }));
      expect(await head(store)).toBeNull();
      expect(await read(store, { handle: "h2" })).toEqual([]);
      expect(await read(store)).toEqual([first]);
      await save(store, "t3", [second], { handle: "h2" });
      expect(await head(store)).toMatchObject({ handle: "h2", turn: "t3", number: 1 });
      expect(await read(store, { handle: "h2" })).toEqual([second]);
      expect(await store.readCheckpoints({ key: "a", agent: "coder", handle: "h1" })).toEqual({
        heads: [],
        parts: [],
      });
    });

    test("of another agent are returned with that agent's name", async () => {
      const { store } = await use(open);
      const own = part("log", 0, bytes("own"));
      await save(store, "t1", [part("log", 0, bytes("theirs"))], { agent: "reviewer" });
      await store.finishTurn(finish(await hold(store, "t2", "a"), { pin: pin("h1") }));
      expect(await head(store)).toMatchObject({ agent: "reviewer" });
      expect(await read(store)).toEqual([]);
      await save(store, "t3", [own]);
      expect(await head(store)).toMatchObject({ agent: "coder", number: 1, turn: "t3" });
      expect(await read(store)).toEqual([own]);
    });

    test("come with what was typed in the provider's own program, and restoring moves the pin", async () => {
      const { store } = await use(open);
      const typed = part("log", 0, bytes("typed"));
      const held = await hold(store, "t1", "a");
      const imported = { ...held, messages: [], pin: pin("h1"), at: 1700 };
      await store.importMessages({ ...imported, checkpoint: checkpoint([typed]) });
      expect(await read(store)).toEqual([typed]);
      const then = pin("h1", { given: { length: 1, digest: "earlier" } });
      await store.recordRestore({ ...held, pin: then, at: 1800 });
      expect(await store.load({ key: "a", agent: "coder" })).toMatchObject({
        pin: then,
        checkpoint: { number: 1, turn: "t1" },
      });
    });
  });
}
