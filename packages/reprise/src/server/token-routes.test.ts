/** Tokens over HTTP: an operator manages them, and the text of one is in no other place than its answer. */

import { existsSync, readFileSync } from "node:fs";
import { readStoreRecord } from "@reprise/engine/home";
import { afterEach, beforeEach, expect, test } from "vitest";
import { query } from "../../../../test/postgres/sync-query.ts";
import { TestApp } from "./test-app.ts";

let server: TestApp;

beforeEach(async () => {
  server = await TestApp.open();
});

afterEach(() => server.close());

const ci = { name: "ci", role: "viewer" };
const keyed = (key: string) => ({ headers: { "idempotency-key": key } });

async function callerWith(token: string) {
  const { status, body } = await server.ask("GET", "/v1/caller", undefined, { token });
  return status === 200 ? body : status;
}

/** Everything that is kept in the home's database. */
function stored(): string {
  const { path, database } = server.engine.home;
  const url = readStoreRecord(path);
  if (url !== null) return allRows(url);
  const files = [database, `${database}-wal`].filter((file) => existsSync(file));
  return files.map((file) => readFileSync(file, "latin1")).join("");
}

function allRows(url: string): string {
  const tables = query<{ name: string }>(
    url,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
  );
  const rows = tables.flatMap(({ name }) =>
    query<{ text: string }>(url, `SELECT CAST(row AS TEXT) AS text FROM "${name}" AS row`),
  );
  return rows.map(({ text }) => text).join("\n");
}

test("V19: an operator creates, rotates and revokes a token, and the events name the operator", async () => {
  const as = { token: await server.tokenFor("ann", "operator") };
  const made = await server.ask("POST", "/v1/tokens", { ...ci, expiresIn: 60_000 }, as);
  const { createdAt } = (await server.ask("GET", "/v1/tokens", undefined, as)).body[1];
  expect(made.body).toMatchObject({ ...ci, expiresAt: createdAt + 60_000 });
  expect(await callerWith(made.body.token)).toEqual(ci);
  const rotated = await server.ask("POST", "/v1/tokens/ci/rotate", {}, as);
  expect([await callerWith(made.body.token), await callerWith(rotated.body.token)]).toEqual([
    401,
    ci,
  ]);
  const revoked = await server.ask("DELETE", "/v1/tokens/ci", undefined, as);
  expect(revoked.body).toMatchObject({ ...ci, revokedAt: expect.any(Number) });
  expect(await callerWith(rotated.body.token)).toBe(401);
  const log = await server.engine.store.readEvents({ after: 0, limit: 100 });
  const of = log.filter(({ stream }) => stream === "token:ci");
  expect(of.map(({ type, data }) => [type, (data as { by: string }).by])).toEqual([
    ["token.created", "ann"],
    ["token.rotated", "ann"],
    ["token.revoked", "ann"],
  ]);
  expect((await server.ask("DELETE", "/v1/tokens/ci", undefined, as)).body).toMatchObject({
    code: "no-token",
    hint: "List the tokens with reprise.tokens.list().",
  });
});

test("V19: a repeated call gets an error instead of the token, which is stored nowhere", async () => {
  const made = await server.ask("POST", "/v1/tokens", ci, keyed("one"));
  const again = await server.ask("POST", "/v1/tokens", ci, keyed("one"));
  expect([again.status, again.body.code]).toEqual([409, "shown-before"]);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await callerWith(made.body.token)).toEqual(ci);
  const rotated = await server.ask("POST", "/v1/tokens/ci/rotate", {}, keyed("two"));
  const replayed = await server.ask("POST", "/v1/tokens/ci/rotate", {}, keyed("two"));
  expect(replayed.body.code).toBe("shown-before");
  expect(await callerWith(rotated.body.token)).toEqual(ci);
  expect(stored()).toContain("shown-before");
  for (const { body } of [made, rotated]) expect(stored()).not.toContain(body.token);
});

test.each([
  [{ name: "a b", role: "viewer" }, "bad-name"],
  [{ name: "ci", role: "root" }, "bad-input"],
  [{ name: "ci", role: "viewer", expiresIn: 0 }, "bad-input"],
  [{ name: "ci", role: "viewer", expiresIn: 1e300 }, "bad-input"],
])("V19: the token %j is refused: %s", async (token, code) => {
  const { status, body } = await server.ask("POST", "/v1/tokens", token);
  expect([status, body.code]).toEqual([400, code]);
  expect(await server.reprise.tokens.list()).toEqual([]);
});
