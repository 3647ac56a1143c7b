/** How the account of an API key is recognised: by the secret of the store, whatever became of the home's. */

import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import type { Pin } from "@reprise/core/session/pin";
import type { Provider } from "@reprise/providers/provider";
import { scripted } from "@reprise/providers/scripted/provider";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Database } from "../../../test/conformance/database.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { restore } from "./backup/restore.ts";
import { keyedDigest } from "./engine.ts";
import { openReprise } from "./open-reprise.ts";

/** The scripted agent, with an account that is an API key. */
const keyed: Provider = {
  ...scripted,
  manifest: { ...scripted.manifest, name: "keyed", runners: ["keyed-cli"] },
  probe: async (agent, tools) => ({
    ...(await scripted.probe(agent, tools)),
    account: `key:${tools.digest(agent.env.API_KEY ?? "")}`,
  }),
};

const key = "feature-42";
const apiKey = "sk-1";
let root: string;
let home: string;

beforeEach(() => {
  root = temporaryFolder("accounts");
  home = join(root, "home");
});

afterEach(() => rmSync(root, { recursive: true }));

async function open(path: string, env: Record<string, string> = { API_KEY: apiKey }) {
  const reprise = await openReprise({ home: path, cwd: root, env, providers: [keyed] });
  return Object.assign(reprise, { [Symbol.asyncDispose]: () => reprise.close() });
}

async function begin(): Promise<void> {
  await using reprise = await open(home);
  await reprise.agents.create({ name: "coder", provider: "keyed" });
  await reprise.sessions.send({ key, agent: "coder", prompt: "remember APPLE-739" });
}

/** Opens the home anew and sends a turn. */
async function send(path = home, env?: Record<string, string>) {
  await using reprise = await open(path, env);
  const { turn, decision, output } = await reprise.sessions.send({
    key,
    prompt: "what did I ask you to remember?",
  });
  return { status: turn.status, outcome: decision?.outcome, output, error: decision?.error };
}

const resumed = { status: "done", outcome: "resume", output: "APPLE-739" };

function row(sql: string): Record<string, unknown> | undefined {
  using database = new Database({ home });
  return database.rows(sql)[0];
}

const account = () => (JSON.parse(String(row("SELECT data FROM pin")?.data)) as Pin).account;
const storeSecret = () => String(row("SELECT secret FROM store_secret")?.secret);
const homeSecret = () => readFileSync(join(home, "secret"), "utf8");

/** Names the account in the pin as versions did that knew only the home's secret. */
function writeBefore(): void {
  const before = `key:${keyedDigest(homeSecret())(apiKey)}`;
  using database = new Database({ home });
  database.change("UPDATE pin SET data = json_set(data, '$.account', :before)", { before });
}

test("S21: a home that lost its secret has the same accounts, and another key is another one", async () => {
  await begin();
  expect(account()).toBe(`key:s-${keyedDigest(storeSecret())(apiKey)}`);
  rmSync(join(home, "secret"));
  expect(await send()).toMatchObject(resumed);
  expect(await send(home, { API_KEY: "sk-2" })).toMatchObject({
    status: "refused",
    error: { code: "other-account", message: expect.not.stringContaining("secret") },
  });
});

test("a pin from before is judged by the home's secret, and written anew by the turn", async () => {
  await begin();
  writeBefore();
  expect(await send(home, { API_KEY: "sk-2" })).toMatchObject({
    status: "refused",
    error: { code: "other-account", message: expect.stringContaining('"secret" of the home') },
  });
  expect(await send()).toMatchObject(resumed);
  expect(account()).toBe(`key:s-${keyedDigest(storeSecret())(apiKey)}`);
});

test("homes with other secrets agree about the accounts of one store", async () => {
  await begin();
  const copy = join(root, "copy");
  cpSync(home, copy, { recursive: true });
  rmSync(join(copy, "secret"));
  expect(await send(copy)).toMatchObject(resumed);
});

test("a store that is replaced by one without a secret keeps its own", async () => {
  await using reprise = await open(home);
  await reprise.agents.create({ name: "coder", provider: "keyed" });
  const file = join(root, "early.backup");
  await reprise.backup(file);
  await reprise.sessions.send({ key, agent: "coder", prompt: "remember APPLE-739" });
  const secret = storeSecret();
  await restore({
    home,
    file,
    providers: [keyed],
    cwd: root,
    by: "me",
    force: true,
    now: Date.now,
  });
  await reprise.sessions.send({ key, agent: "coder", prompt: "remember APPLE-739" });
  expect(storeSecret()).toBe(secret);
  expect(await send()).toMatchObject(resumed);
});

test("a restored store knows its accounts, and a bundle has no secret", async () => {
  await begin();
  const file = join(root, "all.backup");
  const secrets = [storeSecret(), homeSecret(), account()!];
  {
    await using reprise = await open(home);
    await reprise.backup(file);
    const bundle = zstdDecompressSync(await reprise.sessions.export({ key })).toString();
    expect(bundle).toContain("APPLE-739");
    for (const secret of secrets) expect(bundle).not.toContain(secret);
  }
  const other = join(root, "other");
  const options = { providers: [keyed], cwd: root, by: "me", force: false, now: Date.now };
  await restore({ home: other, file, ...options });
  rmSync(join(other, "secret"));
  expect(await send(other)).toMatchObject(resumed);
});
