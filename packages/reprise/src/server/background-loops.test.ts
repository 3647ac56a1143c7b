import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openEngine } from "@reprise/engine/open-reprise";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { until } from "../../../../test/until.ts";
import { runBackgroundLoops } from "./background-loops.ts";
import { InFlight } from "./in-flight.ts";
import type { Log } from "./log.ts";

const day = 24 * 60 * 60 * 1000;

/** A home whose one session was archived a year ago, served until a log message starts with `beginning`. */
async function serveUntil(beginning: string, settings: Record<string, unknown>) {
  const folder = temporaryFolder("serving");
  const clock = { now: Date.now() };
  const now = () => clock.now;
  const { engine, reprise } = await openEngine({
    home: join(folder, "home"),
    cwd: folder,
    settings,
    now,
  });
  onTestFinished(async () => {
    await reprise.close();
    rmSync(folder, { recursive: true });
  });
  await reprise.agents.create({ name: "coder", provider: "scripted" });
  await reprise.sessions.send({ key: "old", agent: "coder", prompt: "echo once" });
  await reprise.sessions.archive("old");
  clock.now += 365 * day;
  const logged = Promise.withResolvers<Parameters<Log>>();
  const log: Log = (...line) => {
    if (line[1].startsWith(beginning)) logged.resolve(line);
  };
  const work = new InFlight();
  const serving = runBackgroundLoops({ engine, reprise, work, log });
  const line = await logged.promise;
  await work.stop();
  await serving;
  return { line, keys: (await reprise.sessions.list()).map(({ key }) => key) };
}

test("due sessions are only logged, unless pruning is enforced", async () => {
  const warned = await serveUntil("would prune", {});
  expect(warned.line).toMatchObject(["warn", expect.any(String), { steps: [{ key: "old" }] }]);
  expect(warned.keys).toEqual(["old"]);
  const enforced = await serveUntil("pruned", { "prune.mode": "enforce" });
  expect(enforced.line).toMatchObject(["info", "pruned", { steps: [{ key: "old" }] }]);
  expect(enforced.keys).toEqual([]);
});

test("sessions that Reprise did not start are kept when that is on and due", async () => {
  const folder = temporaryFolder("serving");
  const sessions = join(folder, "agent", "sessions");
  mkdirSync(sessions, { recursive: true });
  let looks = 0;
  const { engine, reprise } = await openEngine({
    home: join(folder, "home"),
    cwd: folder,
    wrap: {
      store: (store) => ({
        ...store,
        async readProtection(host) {
          const protection = await store.readProtection(host);
          looks += 1;
          return protection;
        },
      }),
    },
  });
  onTestFinished(async () => {
    await reprise.close();
    rmSync(folder, { recursive: true });
  });
  const settings = { home: join(folder, "agent") };
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
  /** Writes a session, and serves until the server has looked whether a scan is due. What it began, it ends. */
  const keptWith = async (id: string) => {
    writeFileSync(join(sessions, `${id}.jsonl`), '{"role":"user","text":"hello"}\n');
    const before = looks;
    const work = new InFlight();
    const serving = runBackgroundLoops({ engine, reprise, work, log: () => {} });
    await until(() => looks > before);
    await work.stop();
    await serving;
    return (await reprise.protect.status()).homes.map(({ kept }) => kept);
  };
  expect(await keptWith("0f5b1c1e-3a51-4d0c-9b8e-6f3f3c1f2a10")).toEqual([]);
  await reprise.protect.set({ on: true });
  expect(await keptWith("1f5b1c1e-3a51-4d0c-9b8e-6f3f3c1f2a10")).toEqual([2]);
  // An hour has not passed.
  expect(await keptWith("2f5b1c1e-3a51-4d0c-9b8e-6f3f3c1f2a10")).toEqual([2]);
});
