/** A client whose token is revoked is refused, whenever that happens. */

import { expect, test } from "vitest";
import { Admissions } from "./admissions.ts";

test("V13: a token that is revoked before the watch of the log begins is noticed", async () => {
  let isKnown = true;
  const feed = {
    now: async () => {
      isKnown = false;
      return 7;
    },
    changed: (_: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
      }),
  };
  const admissions = new Admissions(feed, { readEvents: async () => [] });
  const answer = admissions.whileKnown(
    async () => isKnown,
    () => new Promise<never>(() => {}),
  );
  await expect(answer).rejects.toMatchObject({ status: 401 });
  expect(admissions.size).toBe(0);
});
