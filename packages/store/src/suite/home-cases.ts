/** Cases about the home that uses a store. */

import { type Open, use } from "./fixture.ts";
import { describe, expect, test } from "./runner.ts";

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

    test("is one of two that are recorded at the same time", async () => {
      const { store, reopen } = await use(open);
      const other = await reopen();
      const [one, two] = await Promise.all([store.recordHome(first), other.recordHome(second)]);
      expect(one).toEqual(two);
    });
  });
}
