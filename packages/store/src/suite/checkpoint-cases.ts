/** Cases about checkpoints: the parts of every file, in order, for the pinned handle. */

import { describe, expect, test } from "vitest";
import type { CheckpointPart, Store } from "../store.ts";
import { type Open, use } from "./fixture.ts";
import { finish, hold, part, pin } from "./samples.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

export function checkpointCases(open: Open): void {
  const save = async (store: Store, turn: string, parts: CheckpointPart[], handle = "h1") =>
    store.finishTurn(
      finish(await hold(store, turn, "a"), {
        pin: pin(handle),
        checkpoint: { version: 1, handle, model: null, parts },
      }),
    );
  const read = (store: Store, handle = "h1") =>
    store.readCheckpoint({ key: "a", agent: "coder", handle });
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
        turn: "t3",
        files: [
          { name: "log", size: 11, whole: "log up to 11" },
          { name: "index", size: 3, whole: "index up to 3" },
        ],
        at: 2000,
      });
    });

    test("begin anew with a file that was rewritten", async () => {
      const { store } = await use(open);
      const other = part("other", 0, bytes("kept"));
      await save(store, "t1", [part("log", 0, bytes("one")), other]);
      await save(store, "t2", [part("log", 3, bytes("two"))]);
      const rewritten = part("log", 0, bytes("1"));
      await save(store, "t3", [rewritten]);
      expect(await read(store)).toEqual([rewritten, other]);
      const appended = part("log", 1, bytes("2"));
      await save(store, "t4", [appended]);
      expect(await read(store)).toEqual([rewritten, appended, other]);
    });

    test("of an empty file, and of a turn that changed no file, are kept", async () => {
      const { store } = await use(open);
      const empty = part("log", 0, new Uint8Array());
      await save(store, "t1", [empty]);
      await save(store, "t2", []);
      expect(await read(store)).toEqual([empty]);
      expect(await head(store)).toMatchObject({ number: 2, files: [{ name: "log", size: 0 }] });
    });

    test("belong to one handle; the one that is pinned counts", async () => {
      const { store } = await use(open);
      const [first, second] = [part("log", 0, bytes("one")), part("log", 0, bytes("two"))];
      await save(store, "t1", [first]);
      await save(store, "t2", [second], "h2");
      expect(await read(store)).toEqual([first]);
      expect(await read(store, "h2")).toEqual([second]);
      expect(await head(store)).toMatchObject({ handle: "h2", turn: "t2" });
      await store.finishTurn(finish(await hold(store, "t3", "a"), { pin: pin("h1") }));
      expect(await head(store)).toMatchObject({ handle: "h1", turn: "t1" });
      await store.finishTurn(finish(await hold(store, "t4", "a"), { pin: pin("h3") }));
      expect(await head(store)).toBeNull();
      expect(await read(store, "h3")).toEqual([]);
    });
  });
}
