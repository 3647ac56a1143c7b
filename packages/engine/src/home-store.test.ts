/** A home and the PostgreSQL database that has its sessions: who may use it, and that no password is shown. */

import { chmodSync, cpSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster } from "../../../test/postgres/cluster.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { openEngine } from "./open-reprise.ts";
import { passwordInFile } from "./pass-file.ts";

const password = "hunter2 & hunter3";
let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
  await cluster.requirePassword("ann", password);
});
afterAll(() => cluster.remove());

interface Opening {
  readonly home: string;
  readonly store?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function open({ home, store, env = {} }: Opening) {
  const folder = join(home, "..");
  const opened = await openEngine({ home, store, cwd: folder, env: { HOME: folder, ...env } });
  return { ...opened, [Symbol.asyncDispose]: () => opened.reprise.close() };
}

function newHome(): string {
  return join(temporaryFolder("home-store"), "home");
}

/** The address for the user who needs a password. */
function asAnn(url: string, userinfo = "ann"): string {
  return url.replace("//reprise@", `//${userinfo}@`);
}

test("a home keeps the address without the password, and later opens need none", async () => {
  const home = newHome();
  const url = await cluster.createDatabase();
  const whole = asAnn(url, `ann:${encodeURIComponent(password)}`);
  {
    await using opened = await open({ home, store: whole });
    await opened.reprise.agents.create({ name: "coder", provider: "scripted" });
    await opened.reprise.sessions.send({ key: "a", agent: "coder", prompt: `say ${password}` });
    const events = await opened.engine.store.readEvents({ after: 0, limit: 1000 });
    expect(JSON.stringify(events)).not.toContain("hunter3");
  }
  const record = readFileSync(join(home, "store.json"), "utf8");
  expect(JSON.parse(record)).toEqual({ url: asAnn(url) });
  expect(statSync(join(home, "store.json")).mode & 0o777).toBe(0o600);

  await expect(open({ home })).rejects.toMatchObject({
    code: "store-no-password",
    hint: expect.stringContaining("PGPASSWORD"),
  });
  await expect(open({ home, env: { PGPASSWORD: "hunter4-hunter4" } })).rejects.toMatchObject({
    code: "store-denied",
    message: expect.not.stringContaining("hunter"),
  });
  const PGPASSFILE = join(temporaryFolder("passfile"), "passfile");
  writeFileSync(PGPASSFILE, `*:*:another:*:hunter5\n127.0.0.1:*:*:ann:${password}\n`, {
    mode: 0o600,
  });
  for (const env of [{ PGPASSWORD: password }, { REPRISE_STORE: whole }, { PGPASSFILE }]) {
    await using opened = await open({ home, env });
    expect(await opened.engine.store.listAgents()).toHaveLength(1);
    expect(opened.engine.secrets).toContain(password);
    // Agents get the environment of the engine.
    expect(JSON.stringify(opened.engine.env)).not.toContain("hunter");
  }
});

test.each([
  ["db:5432:team:ann:right", "right"],
  ["*:*:*:*:a\\:b\\\\c", "a:b\\c"],
  ["# db:5432:team:ann:no\n\ndb:1:team:ann:no\ndb:*:*:ann:right\n*:*:*:*:later", "right"],
  ["db:5432:team:bob:no", null],
])("the passfile %j has the password %j", (text, found) => {
  const PGPASSFILE = join(temporaryFolder("passfile"), "passfile");
  writeFileSync(PGPASSFILE, text, { mode: 0o600 });
  expect(passwordInFile("postgres://ann@db/team", { PGPASSFILE })).toBe(found);
  chmodSync(PGPASSFILE, 0o644);
  expect(passwordInFile("postgres://ann@db/team", { PGPASSFILE })).toBeNull();
});

test("a second home is refused, and a copy of the first is not", async () => {
  const [home, second] = [newHome(), newHome()];
  const store = await cluster.createDatabase();
  await (await open({ home, store })).reprise.close();
  await expect(open({ home: second, store })).rejects.toMatchObject({
    code: "store-of-another-home",
    message: expect.stringContaining(`belongs to the home ${home} on `),
  });
  // It is as before: the refused open left no address in it.
  await (await open({ home: second })).reprise.close();

  const copy = newHome();
  cpSync(home, copy, { recursive: true });
  await using opened = await open({ home: copy });
  expect(opened.engine.home.path).toBe(copy);
});

test("a home with agents or sessions of its own is refused", async () => {
  const home = newHome();
  const store = await cluster.createDatabase();
  {
    await using opened = await open({ home });
    await opened.reprise.agents.create({ name: "coder", provider: "scripted" });
  }
  await expect(open({ home, store })).rejects.toMatchObject({
    code: "store-has-sessions",
    hint: expect.stringContaining("migrate --to"),
  });
  expect(
    await cluster.query("SELECT 1 FROM pg_tables WHERE tablename = 'store_home'", store),
  ).toEqual([]);
  await using opened = await open({ home });
  expect(await opened.engine.store.listAgents()).toHaveLength(1);
});

test("a home in one database is not opened on another", async () => {
  const home = newHome();
  const [store, other] = [await cluster.createDatabase(), await cluster.createDatabase()];
  await (await open({ home, store })).reprise.close();
  for (const opening of [{ store: other }, { env: { REPRISE_STORE: other } }])
    await expect(open({ home, ...opening })).rejects.toMatchObject({ code: "store-differs" });
  // The same database, written otherwise.
  await (await open({ home, store: store.replace("postgres:", "postgresql:") })).reprise.close();
});

test("a variable for another home moves nothing, and a bad address creates nothing", async () => {
  const home = newHome();
  const REPRISE_STORE = await cluster.createDatabase();
  await (await open({ home, env: { REPRISE_STORE } })).reprise.close();
  expect(() => statSync(join(home, "store.json"))).toThrow();

  const none = newHome();
  await expect(open({ home: none, store: "mysql://a:secret-word@b/c" })).rejects.toMatchObject({
    code: "bad-store-address",
    message: expect.not.stringContaining("secret-word"),
  });
  expect(() => statSync(none)).toThrow();
});
