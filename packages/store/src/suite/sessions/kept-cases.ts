/** Cases about kept sessions: copies of provider sessions that Reprise did not start. */

import { hash } from "node:crypto";
import type { NewKept, NewKeptFile } from "../../contract/kept.ts";
import type { Store } from "../../store.ts";
import { type Open, use } from "../fixture.ts";
import { describe, expect, test } from "../runner.ts";
import { checkpoint, finish, hold, part, pin } from "../samples.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const digest = (text: string) => hash("sha256", text, "hex");
const host = "h1";
const of = { host, provider: "claude", place: "/home/.claude" };

function file(text: string, overrides: Partial<NewKeptFile> = {}): NewKeptFile {
  const start = overrides.after?.generation === 1 ? overrides.after.size : 0;
  const size = start + text.length;
  return {
    name: "projects/p/a.jsonl",
    generation: 1,
    size,
    foundSize: size,
    modifiedAt: 500,
    fingerprint: `f${size}`,
    after: null,
    parts: [{ start, size: text.length, sha256: digest(text), bytes: bytes(text) }],
    ...overrides,
  };
}

function session(files: NewKeptFile[], overrides: Partial<NewKept> = {}): NewKept {
  const named = { kept: "k1", ...of, id: "a1", state: "kept" as const };
  return { ...named, usedAt: 500, folder: "/w", prompt: "Hello", files, ...overrides };
}

async function textOf(store: Store, kept: string, earlier = false): Promise<string | null> {
  const found = await store.readKept({ kept, earlier });
  if (found === null) return null;
  const parts = found.files.flatMap(({ content }) => content);
  const read = await Promise.all(parts.map(({ sha256 }) => store.readKeptBytes(sha256)));
  return Buffer.concat(read).toString("utf8");
}

const known = (store: Store) => store.listKnownFiles({ ...of, after: null, limit: 10 });

export function keptCases(open: Open): void {
  describe("kept sessions", () => {
    test("are stored with their files, which grow by what was appended", async () => {
      const { store, reopen } = await use(open);
      await store.keepSessions({ sessions: [session([file("one\n")])], at: 1000 });
      const after = { generation: 1, size: 4 };
      const grown = session([file("two\n", { after })], { usedAt: 600 });
      await store.keepSessions({ sessions: [grown], at: 2000 });
      const other = await reopen();
      expect(await textOf(other, "k1")).toBe("one\ntwo\n");
      expect(await known(other)).toEqual([
        {
          ...{ kept: "k1", id: "a1", state: "kept", goneAt: null, name: "projects/p/a.jsonl" },
          ...{ generation: 1, size: 8, foundSize: 8, modifiedAt: 500, fingerprint: "f8" },
        },
      ]);
      expect(await other.findKept({ id: "a", limit: 9 })).toEqual([
        {
          ...{ kept: "k1", ...of, id: "a1", state: "kept", folder: "/w", prompt: "Hello" },
          ...{ usedAt: 600, keptAt: 2000, goneAt: null },
        },
      ]);
      expect(await other.findKept({ id: "1", limit: 9 })).toEqual([]);
      const [count] = await other.countKept(host);
      expect(count).toMatchObject({ provider: "claude", kept: 1, own: 0, gone: 0 });
      expect(count?.bytes).toBeGreaterThan(0);
      expect(await other.countKept("h2")).toEqual([]);
    });

    test("of two scans that saw the same, one appends", async () => {
      const { store } = await use(open);
      await store.keepSessions({ sessions: [session([file("one\n")])], at: 1000 });
      const after = { generation: 1, size: 4 };
      for (const text of ["two\n", "two\nthree\n"])
        await store.keepSessions({ sessions: [session([file(text, { after })])], at: 2000 });
      expect(await textOf(store, "k1")).toBe("one\ntwo\n");
    });

    test("keep the generation before the newest one", async () => {
      const { store } = await use(open);
      await store.keepSessions({ sessions: [session([file("first")])], at: 1000 });
      const again = (text: string, generation: number, size: number) =>
        store.keepSessions({
          sessions: [
            session([file(text, { generation, after: { generation: generation - 1, size } })]),
          ],
          at: 2000,
        });
      // `file` appends to generation 1 only.
      await store.keepSessions({
        sessions: [
          session([
            file("", {
              ...{ generation: 2, size: 2, after: { generation: 1, size: 5 } },
              parts: [{ start: 0, size: 2, sha256: digest("2."), bytes: bytes("2.") }],
            }),
          ]),
        ],
        at: 2000,
      });
      expect([await textOf(store, "k1"), await textOf(store, "k1", true)]).toEqual(["2.", "first"]);
      await again("third", 3, 2);
      expect([await textOf(store, "k1"), await textOf(store, "k1", true)]).toEqual(["third", "2."]);
      expect(await store.readKeptBytes(digest("first"))).toHaveLength(0);
    });

    test("may have parts that were stored beforehand", async () => {
      const { store } = await use(open);
      await store.keepBytes([{ sha256: digest("large"), bytes: bytes("large") }]);
      const parts = [{ start: 0, size: 5, sha256: digest("large"), bytes: null }];
      await store.keepSessions({ sessions: [session([file("large", { parts })])], at: 1000 });
      expect(await textOf(store, "k1")).toBe("large");
    });

    test("are gone since the first scan that missed them, and there again when they are back", async () => {
      const { store } = await use(open);
      const second = session([], { kept: "k2", id: "a2", usedAt: 100 });
      await store.keepSessions({ sessions: [session([file("one\n")]), second], at: 1000 });
      const list = async (gone: boolean, before?: number) =>
        (await store.listKept({ host, gone, ...(before && { before }), limit: 9 })).map(
          ({ kept, goneAt }) => [kept, goneAt],
        );
      expect(await list(false)).toEqual([
        ["k2", null],
        ["k1", null],
      ]);
      expect(await list(false, 500)).toEqual([["k2", null]]);
      const home = { provider: of.provider, place: of.place };
      const inHome = (place: string) =>
        store.listKept({ host, of: { ...home, place }, gone: false, limit: 1 });
      expect(await inHome(of.place)).toMatchObject([{ kept: "k2" }]);
      expect(await inHome("/elsewhere")).toEqual([]);
      await store.markKept({ gone: ["k1"], there: [], at: 2000 });
      await store.markKept({ gone: ["k1"], there: [], at: 3000 });
      expect(await list(true)).toEqual([["k1", 2000]]);
      expect(await list(true, 2000)).toEqual([]);
      expect(await store.countKept(host)).toMatchObject([{ kept: 2, gone: 1 }]);
      expect(await textOf(store, "k1")).toBe("one\n");
      await store.markKept({ gone: [], there: ["k1"], at: 4000 });
      expect(await list(true)).toEqual([]);
    });

    test("that a session of Reprise continues lose their copy, and are removed when they are gone", async () => {
      const { store } = await use(open);
      await store.keepSessions({ sessions: [session([file("one\n")])], at: 1000 });
      await store.keepSessions({ sessions: [session([], { state: "own" })], at: 2000 });
      expect(await store.countKept(host)).toMatchObject([{ kept: 0, own: 1, bytes: 0 }]);
      expect(await store.readKeptBytes(digest("one\n"))).toHaveLength(0);
      expect(await store.readKept({ kept: "k1", earlier: false })).toBeNull();
      await store.markKept({ gone: ["k1"], there: [], at: 3000 });
      expect(await store.countKept(host)).toEqual([]);
    });

    test("can be forgotten; bytes that a checkpoint also has stay", async () => {
      const { store } = await use(open);
      const turn = finish(await hold(store, "t1", "a"), {
        pin: pin("h1"),
        checkpoint: checkpoint([part("log", 0, bytes("one\n"))], { handle: "h1" }),
      });
      await store.finishTurn(turn);
      await store.keepSessions({ sessions: [session([file("one\n")])], at: 1000 });
      await store.forgetKept({ kept: "k1", at: 2000, by: "ann" });
      expect(await store.readKept({ kept: "k1", earlier: false })).toBeNull();
      // Its files are still there, and must not be kept again.
      expect(await known(store)).toMatchObject([{ state: "forgotten" }]);
      const { parts } = await store.readCheckpoints({ key: "a", agent: "coder", handle: "h1" });
      expect(parts).toMatchObject([{ bytes: bytes("one\n") }]);
      await store.keepSessions({
        sessions: [session([file("of both")], { kept: "k2" })],
        at: 3000,
      });
      const last = { store, bytes: bytes("of both") };
      await last.store.finishTurn(
        finish(await hold(store, "t2", "b"), {
          pin: pin("h2"),
          checkpoint: checkpoint([part("log", 0, last.bytes)], { handle: "h2" }),
        }),
      );
      await store.purgeSession({ key: "b", at: 4000 });
      expect(await textOf(store, "k2")).toBe("of both");
      const log = await store.readEvents({ after: 0, limit: 50, stream: `protection:${host}` });
      expect(log.map(({ type, data }) => [type, data])).toEqual([
        ["protection.forgotten", { provider: "claude", id: "a1", by: "ann" }],
      ]);
    });

    test("are kept by a host while that is on, which remembers its last scan", async () => {
      const { store } = await use(open);
      expect(await store.readProtection(host)).toEqual({ onAt: null, scannedAt: null, unread: [] });
      const unread = [{ path: "/f", problem: "Denied." }];
      await store.recordScan({ host, unread, at: 50 });
      await store.setProtection({ host, on: true, by: "ann", at: 100 });
      await store.setProtection({ host, on: true, by: "ben", at: 200 });
      expect(await store.readProtection(host)).toEqual({ onAt: 100, scannedAt: 50, unread });
      await store.setProtection({ host, on: false, by: "ben", at: 300 });
      expect(await store.readProtection(host)).toMatchObject({ onAt: null, scannedAt: 50 });
      const log = await store.readEvents({ after: 0, limit: 50, stream: `protection:${host}` });
      expect(log.map(({ type, data }) => [type, data])).toEqual([
        ["protection.on", { by: "ann" }],
        ["protection.off", { by: "ben" }],
      ]);
    });
  });
}
