/** Cases about webhooks and their deliveries. */

import type { Webhook } from "../contract/webhooks.ts";
import type { Store } from "../store.ts";
import { clock, type Open, use } from "./fixture.ts";
import { describe, expect, test } from "./runner.ts";

export function webhookCases(open: Open): void {
  const hook: Webhook = {
    id: "w1",
    direction: "outgoing",
    url: "http://127.0.0.1/",
    events: ["run.ended"],
    secret: "SECRET",
    cursor: 4,
    createdAt: 10,
  };
  const queue = {
    webhook: "w1",
    after: 4,
    upTo: 9,
    deliveries: [{ id: "d1", seq: 7, type: "run.ended" }],
    forgetBefore: 0,
    at: 100,
  };
  const claim = (store: Store, at: number, owner = "o") => {
    clock.now = at;
    return store.claimDue({ owner, kind: "webhook", limit: 9 });
  };
  const failed = { id: "d1", owner: "o", state: "due", status: 503, error: "503" } as const;

  describe("webhooks", () => {
    test("are stored as created, listed oldest first, and can be removed", async () => {
      const { store, reopen } = await use(open);
      const other: Webhook = { ...hook, id: "w0", direction: "incoming", url: null, createdAt: 5 };
      await store.createWebhook({ ...hook, by: "ann" });
      await store.createWebhook(other);
      await store.createWebhook({ ...hook, url: "http://127.0.0.1/other" });
      const reopened = await reopen();
      expect(await reopened.listWebhooks()).toEqual([other, hook]);
      expect(await reopened.readWebhook("w1")).toEqual(hook);
      await store.removeWebhook({ id: "w1", by: "ben", at: 20 });
      expect(await reopened.readWebhook("w1")).toBeNull();
      const log = await store.readEvents({ after: 0, limit: 10 });
      const { direction, url, events } = hook;
      expect(log.map(({ type, data }) => [type, data])).toEqual([
        ["webhook.created", { direction, url, events, by: "ann" }],
        ["webhook.created", { direction: "incoming", url: null, events }],
        ["webhook.removed", { by: "ben" }],
      ]);
      expect(JSON.stringify(log)).not.toContain("SECRET");
    });

    test("that do not exist cannot be removed", async () => {
      const { store } = await use(open);
      await expect(store.removeWebhook({ id: "w1", at: 1 })).rejects.toMatchObject({
        name: "NotFoundError",
        code: "no-webhook",
      });
      expect(await store.lastEvent()).toBe(0);
    });

    test("see every event once: of two processes that read the same events, one queues them", async () => {
      const { store, reopen } = await use(open);
      const other = await reopen();
      await other.createWebhook(hook);
      expect(await other.queueDeliveries(queue)).toBe(true);
      const late = { ...queue, deliveries: [{ id: "d2", seq: 7, type: "run.ended" }] };
      expect(await store.queueDeliveries(late)).toBe(false);
      expect(await store.readWebhook("w1")).toMatchObject({ cursor: 9 });
      expect(await store.listDeliveries({ webhook: "w1", limit: 9 })).toEqual([
        {
          id: "d1",
          webhook: "w1",
          seq: 7,
          type: "run.ended",
          state: "due",
          tries: 0,
          status: null,
          error: null,
          createdAt: 100,
          triedAt: null,
          nextAt: null,
        },
      ]);
      expect(await claim(store, 100)).toMatchObject([{ payload: { delivery: "d1" } }]);
    });

    test("are retried until a delivery succeeds, only by the owner of the claim", async () => {
      const { store, reopen } = await use(open);
      const one = await reopen();
      await store.createWebhook(hook);
      await store.queueDeliveries(queue);
      await claim(store, 100);
      await one.settleDelivery({ ...failed, owner: "another", again: 150, at: 101 });
      await one.settleDelivery({ ...failed, again: 200, at: 102 });
      expect(await store.readDelivery("d1")).toMatchObject({
        state: "due",
        tries: 1,
        status: 503,
        error: "503",
        triedAt: 102,
        nextAt: 200,
      });
      expect(await claim(store, 199)).toEqual([]);
      expect(await claim(store, 200)).toMatchObject([{ failures: 1 }]);
      const well = { ...failed, state: "done", status: 204, error: null, again: null } as const;
      await one.settleDelivery({ ...well, at: 201 });
      expect(await store.readDelivery("d1")).toMatchObject({
        state: "done",
        tries: 2,
        status: 204,
        error: null,
        nextAt: null,
      });
      expect(await claim(store, 1e9)).toEqual([]);
    });

    test("can be replayed", async () => {
      const { store } = await use(open);
      await store.createWebhook(hook);
      await store.queueDeliveries(queue);
      await claim(store, 100);
      await store.settleDelivery({ ...failed, state: "failed", again: null, at: 101 });
      expect(await store.replayDelivery({ id: "d1", at: 300 })).toMatchObject({ state: "due" });
      expect(await claim(store, 299)).toEqual([]);
      expect(await claim(store, 300)).toMatchObject([{ failures: 0 }]);
      await expect(store.replayDelivery({ id: "d9", at: 300 })).rejects.toMatchObject({
        code: "no-delivery",
      });
    });

    test("get no deliveries after they are removed, and old deliveries are forgotten", async () => {
      const { store } = await use(open);
      await store.createWebhook(hook);
      await store.queueDeliveries(queue);
      await claim(store, 100);
      await store.settleDelivery({ ...failed, state: "done", again: null, at: 101 });
      await store.queueDeliveries({
        ...queue,
        after: 9,
        upTo: 12,
        deliveries: [{ id: "d2", seq: 12, type: "run.ended" }],
        forgetBefore: 101,
        at: 200,
      });
      expect(await store.listDeliveries({ limit: 9 })).toMatchObject([{ id: "d2" }]);
      await store.removeWebhook({ id: "w1", at: 300 });
      expect(await store.listDeliveries({ limit: 9 })).toEqual([]);
      expect(await claim(store, 1e9)).toEqual([]);
    });
  });
}
