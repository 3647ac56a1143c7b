/** Cases about the home that uses a store. */

import { type Open, use } from "./fixture.ts";
import { describe, expect, test } from "./runner.ts";
import { finish, hold, pin } from "./samples.ts";

export function homeCases(open: Open): void {
  describe("the home of a store", () => {
    const first = { id: "a1", host: "one", path: "/srv/one", at: 1000 };
    const second = { id: "b2", host: "two", path: "/srv/two", at: 2000 };

    test("is the first one that was recorded", async () => {
      const { store, reopen } = await use(open);
      expect(await store.recordHome(first)).toEqual(first);
      expect(await store.recordHome(second)).toEqual(first);
      expect(await (await reopen()).recordHome({ ...first, at: 3000 })).toEqual(first);
    });

    test("has a secret that is recorded once, and then never changes", async () => {
      const { store, reopen } = await use(open);
      expect(await store.readSecret()).toBeNull();
      const other = await reopen();
      const [one, two] = await Promise.all([
        store.recordSecret({ secret: "one" }),
        other.recordSecret({ secret: "two" }),
      ]);
      expect(one).toBe(two);
      expect(await store.recordSecret({ secret: "three" })).toBe(one);
      expect(await (await reopen()).readSecret()).toBe(one);
    });

    test("is one of two that are recorded at the same time", async () => {
      const { store, reopen } = await use(open);
      const other = await reopen();
      const [one, two] = await Promise.all([store.recordHome(first), other.recordHome(second)]);
      expect(one).toEqual(two);
    });

    test("may have another path: the places of pins in it go with it", async () => {
      const { reopen } = await use(open);
      const store = await reopen({ home: "/srv/one" });
      const inside = pinIn("h1", "/srv/one/runs/7", "/srv/one/agents/coder");
      await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: inside }));
      const outside = pinIn("h2", "/project", "/project/.agent");
      await store.finishTurn(finish(await hold(store, "t2", "b"), { pin: outside }));
      expect(await store.listPins("a")).toEqual([inside]);

      const moved = await reopen({ home: "/mnt/two" });
      const after = pinIn("h1", "/mnt/two/runs/7", "/mnt/two/agents/coder");
      expect(await moved.listPins("a")).toEqual([after]);
      expect(await moved.load({ key: "a", agent: "coder" })).toMatchObject({ pin: after });
      expect(await moved.listPins("b")).toEqual([outside]);

      const keys = async (folder: string) =>
        (await moved.listSessions({ folder, limit: 9 })).map(({ key }) => key);
      expect(await keys("/mnt")).toEqual(["a"]);
      expect(await keys("/mnt/two/runs/7")).toEqual(["a"]);
      expect(await keys("/mnt/two/runs/70")).toEqual([]);
      expect(await keys("/srv/one")).toEqual([]);
      expect(await keys("/project")).toEqual(["b"]);
      expect(await keys("/")).toEqual(["a", "b"]);
      expect(await moved.countSessions({ folder: "/mnt/two" })).toBe(1);
    });

    test("may be unknown: then a pin keeps its places as they were written", async () => {
      const { store, reopen } = await use(open);
      const absolute = pinIn("h1", "/srv/one/runs/7", "/srv/one/agents/coder");
      await store.finishTurn(finish(await hold(store, "t1", "a"), { pin: absolute }));
      const there = await reopen({ home: "/srv/one" });
      expect(await there.listPins("a")).toEqual([absolute]);
      expect(await there.listSessions({ folder: "/srv/one", limit: 9 })).toHaveLength(1);
    });
  });

  /** A pin with its provider session in `agentHome`, forked from another one there. */
  function pinIn(id: string, folder: string, agentHome: string) {
    const { runtime, handle } = pin(id);
    const place = `${agentHome}/sessions`;
    const fork = { key: "z", by: "copy", source: { id: "z", place } } as const;
    return pin(id, {
      folder,
      handle: { ...handle, place },
      runtime: { ...runtime, home: agentHome },
      fork,
    });
  }
}
