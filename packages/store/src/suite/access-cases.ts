/** Cases about passphrases, tokens and repeated calls. */

import { clock, type Open, use } from "./fixture.ts";
import { describe, expect, test } from "./runner.ts";
import { finish, hold } from "./samples.ts";

export function accessCases(open: Open): void {
  const token = {
    hash: "h1",
    name: "ann",
    role: "approver",
    createdAt: 10,
    expiresAt: null,
  } as const;
  const begin = {
    token: "ann",
    key: "k1",
    fingerprint: "f1",
    subject: null,
    at: 100,
    forgetBefore: 0,
  };

  describe("passphrases", () => {
    const set = { name: "release", hash: "HASH", by: "ann", at: 10 };

    test("are listed by name, without the hash, and can be removed", async () => {
      const { store, reopen } = await use(open);
      await store.setPassphrase(set);
      await store.setPassphrase({ ...set, name: "deploy", at: 20 });
      const reopened = await reopen();
      expect(await reopened.listPassphrases()).toEqual([
        { name: "deploy", setAt: 20 },
        { name: "release", setAt: 10 },
      ]);
      await reopened.setPassphrase({ ...set, name: "deploy", hash: null, at: 30 });
      expect(await reopened.listPassphrases()).toEqual([{ name: "release", setAt: 10 }]);
      expect(await reopened.tryPassphrase("deploy")).toBeNull();
      const log = await reopened.readEvents({ after: 0, limit: 10 });
      expect(log.map(({ type }) => type)).toContain("passphrase.removed");
      expect(JSON.stringify(log)).not.toContain("HASH");
    });

    test("are tried a few times at once, then after a wait, until one was right", async () => {
      const { store } = await use(open);
      await store.setPassphrase(set);
      const attempt = (at: number) => {
        clock.now = at;
        return store.tryPassphrase("release");
      };
      for (const at of [100, 101, 102]) expect(await attempt(at)).toEqual({ hash: "HASH" });
      expect(await attempt(103)).toEqual({ blockedUntil: 10_102 });
      expect(await attempt(10_101)).toEqual({ blockedUntil: 10_102 });
      expect(await attempt(10_102)).toEqual({ hash: "HASH" });
      expect(await attempt(10_103)).toEqual({ blockedUntil: 30_102 });
      await store.clearPassphraseTries("release");
      expect(await attempt(10_104)).toEqual({ hash: "HASH" });
    });
  });

  describe("tokens", () => {
    test("are found by their digest, and listed oldest first", async () => {
      const { store, reopen } = await use(open);
      const other = { ...token, hash: "h2", name: "bob", role: "viewer", createdAt: 5 } as const;
      await store.createToken(token);
      await store.createToken(other);
      await store.useToken({ hash: "h1", at: 20 });
      const reopened = await reopen();
      const ann = { ...token, lastUsedAt: 20, revokedAt: null };
      const bob = { ...other, lastUsedAt: null, revokedAt: null };
      expect(await reopened.readToken("h1")).toEqual(ann);
      expect(await reopened.readToken("h3")).toBeNull();
      expect(await reopened.listTokens()).toEqual([bob, ann]);
    });

    test("have unique names until they are revoked", async () => {
      const { store } = await use(open);
      await store.createToken(token);
      await expect(store.createToken({ ...token, hash: "h2" })).rejects.toMatchObject({
        name: "TerminalError",
        code: "token-exists",
      });
      expect(await store.readToken("h2")).toBeNull();
      expect(await store.revokeToken({ name: "ann", at: 30 })).toMatchObject({ revokedAt: 30 });
      await store.createToken({ ...token, hash: "h2", createdAt: 40 });
      expect(await store.readToken("h1")).toMatchObject({ revokedAt: 30 });
      expect(await store.readToken("h2")).toMatchObject({ revokedAt: null });
    });

    test("V19: have an expiry, and their name is free from then on", async () => {
      const { store, reopen } = await use(open);
      await store.createToken({ ...token, expiresAt: 50 });
      const again = { ...token, hash: "h2", createdAt: 49 };
      clock.now = 49;
      await expect(store.createToken(again)).rejects.toMatchObject({ code: "token-exists" });
      const reopened = await reopen();
      expect(await reopened.readToken("h1")).toMatchObject({ expiresAt: 50, revokedAt: null });
      clock.now = 50;
      await reopened.createToken({ ...again, createdAt: 50 });
      expect(await reopened.readToken("h1")).toMatchObject({ expiresAt: 50, revokedAt: 50 });
      expect(await reopened.readToken("h2")).toMatchObject({ expiresAt: null, revokedAt: null });
    });

    test("V19: are rotated: the earlier one and its logins end at the given time", async () => {
      const { store, reopen } = await use(open);
      await store.createToken({ ...token, expiresAt: 110 });
      const created = await store.lastEvent();
      const login = { token: "h1", createdAt: 15, expiresAt: 900 };
      await store.createLogin({ ...login, hash: "l1" });
      const rotate = { name: "ann", hash: "h2", at: 20, until: 30, lasts: null };
      expect(await store.rotateToken(rotate)).toEqual({
        ...{ hash: "h2", name: "ann", role: "approver" },
        ...{ createdAt: 20, lastUsedAt: null, expiresAt: 120, revokedAt: null },
      });
      const reopened = await reopen();
      expect(await reopened.listTokens()).toMatchObject([
        { hash: "h1", expiresAt: 110, revokedAt: 30 },
        { hash: "h2", expiresAt: 120, revokedAt: null },
      ]);
      expect(await reopened.readLogin("l1")).toMatchObject({ expiresAt: 30 });
      const again = { ...rotate, hash: "h3", at: 21, until: 21, lasts: 5 };
      expect(await reopened.rotateToken(again)).toMatchObject({ expiresAt: 26 });
      expect((await reopened.listTokens()).map(({ revokedAt }) => revokedAt)).toEqual([
        21,
        21,
        null,
      ]);
      const log = await reopened.readEvents({ after: created, limit: 10 });
      expect(log).toMatchObject([
        {
          stream: "token:ann",
          type: "token.rotated",
          data: { role: "approver", expiresAt: 120, until: 30 },
          at: 20,
        },
        { type: "token.rotated", data: { expiresAt: 26, until: 21 } },
      ]);
      expect(JSON.stringify(log)).not.toMatch(/"h[123]"/);
    });

    test("V19: are revoked together with an earlier one that is still valid", async () => {
      const { store } = await use(open);
      await store.createToken(token);
      await store.rotateToken({ name: "ann", hash: "h2", at: 20, until: 90, lasts: null });
      await store.revokeToken({ name: "ann", at: 40 });
      expect(await store.readToken("h1")).toMatchObject({ revokedAt: 40 });
      await expect(
        store.rotateToken({ name: "ann", hash: "h3", at: 41, until: 41, lasts: null }),
      ).rejects.toMatchObject({ name: "NotFoundError", code: "no-token" });
      expect(await store.readToken("h3")).toBeNull();
    });

    test("that do not exist cannot be revoked", async () => {
      const { store } = await use(open);
      await expect(store.revokeToken({ name: "unknown", at: 1 })).rejects.toMatchObject({
        name: "NotFoundError",
        code: "no-token",
      });
      expect(await store.lastEvent()).toBe(0);
    });

    test("write events without the digest", async () => {
      const { store } = await use(open);
      await store.createToken({ ...token, hash: "DIGEST" });
      await store.revokeToken({ name: "ann", at: 30 });
      const log = await store.readEvents({ after: 0, limit: 10 });
      expect(log).toMatchObject([
        { stream: "token:ann", type: "token.created", data: { role: "approver" } },
        { stream: "token:ann", type: "token.revoked", at: 30 },
      ]);
      expect(await store.lastEvent()).toBe(log[1]!.seq);
      expect(JSON.stringify(log)).not.toContain("DIGEST");
    });
  });

  describe("calls", () => {
    test("begin once; a repeated call finds the existing one", async () => {
      const { store, reopen } = await use(open);
      expect(await store.beginCall(begin)).toMatchObject({ begun: true });
      const reopened = await reopen();
      const again = { ...begin, fingerprint: "other", at: 200 };
      expect(await reopened.beginCall(again)).toEqual({
        begun: false,
        call: {
          token: "ann",
          key: "k1",
          fingerprint: "f1",
          subject: null,
          answer: null,
          at: 100,
        },
      });
      await store.acceptCall({ token: "ann", key: "k1", subject: "t1" });
      const settled = { token: "ann", key: "k1", status: 200, body: "{}", session: null };
      await store.settleCall(settled);
      await store.settleCall({ ...settled, status: 500 });
      await store.dropCall(settled);
      expect((await reopened.beginCall(again)).call).toMatchObject({
        subject: "t1",
        answer: { status: 200, body: "{}" },
      });
    });

    test("of two tokens are independent", async () => {
      const { store } = await use(open);
      await store.beginCall(begin);
      expect(await store.beginCall({ ...begin, token: "bob" })).toMatchObject({ begun: true });
    });

    test("are forgotten after their time, or when they are dropped", async () => {
      const { store } = await use(open);
      await store.beginCall(begin);
      const later = { ...begin, at: 300 };
      expect(await store.beginCall({ ...later, forgetBefore: 100 })).toMatchObject({
        begun: false,
      });
      expect(await store.beginCall({ ...later, forgetBefore: 101 })).toMatchObject({ begun: true });
      await store.dropCall(begin);
      expect(await store.beginCall(later)).toMatchObject({ begun: true });
    });

    test("lose their answer when its session is purged", async () => {
      const { store } = await use(open);
      await store.finishTurn(finish(await hold(store, "t1", "a")));
      for (const [key, session] of [
        ["k1", "a"],
        ["k2", "b"],
      ] as const) {
        await store.beginCall({ ...begin, key });
        await store.settleCall({ token: "ann", key, status: 200, body: "words", session });
      }
      await store.purgeSession({ key: "a", at: 500 });
      expect(await store.beginCall({ ...begin, key: "k2" })).toMatchObject({ begun: false });
      expect(await store.beginCall(begin)).toMatchObject({ begun: true });
    });
  });
}
