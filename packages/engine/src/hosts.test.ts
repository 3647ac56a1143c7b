/** A home that was opened where its processes cannot be seen from here, such as in a recreated container. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Progress, Reprise } from "@reprise/core/api/reprise";
import type { ProcessIdentity } from "@reprise/core/session/turn";
import { identify } from "@reprise/providers/launch/process";
import { ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { appears, until } from "../../../test/until.ts";
import type { Engine } from "./engine.ts";
import { isShared } from "./home.ts";
import { Hosts } from "./hosts.ts";
import { openEngine } from "./open-reprise.ts";

let folder: string;
let engine: Engine;
let reprise: Reprise;
let later = 0;
const now = () => Date.now() + later;

beforeEach(async () => {
  later = 0;
  folder = temporaryFolder("hosts");
  const go = join(folder, "go");
  const rules = [{ when: { prompt: "hold" }, do: ["model", { "wait-for": go }, { say: "held" }] }];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  ({ engine, reprise } = await openEngine({ home: join(folder, "home"), cwd: folder, now }));
  const settings = { script: join(folder, "script.json"), home: join(folder, "agent") };
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
});

afterEach(async () => {
  for (const { id } of await engine.store.listOpenTurns({ limit: 99 }))
    await engine.launcher.end(id, 0);
  await reprise.close();
  rmSync(folder, { recursive: true });
});

const containers = {
  "another pid namespace": { namespace: "pid:[1]", host: "old-name" },
  "another machine": { machine: "another", boot: "its own", host: "old-name" },
};

/** A turn that was launched and left by a process of another place; its agent ends on request. */
async function leftBy(elsewhere: Partial<ProcessIdentity>, ended: boolean): Promise<string> {
  const leave = new AbortController();
  const opened = Promise.withResolvers<string>();
  const sending = reprise.sessions.send(
    { key: "k", agent: "coder", prompt: "hold" },
    {
      leave: leave.signal,
      onOpened: opened.resolve,
      onProgress: ({ type }) => type === "launched" && leave.abort(),
    },
  );
  await sending;
  const id = await opened.promise;
  const { token } = (await engine.store.readTurn(id))!;
  const owner = { ...engine.owner, pid: 7, ...elsewhere };
  await engine.store.takeOver({ turn: id, token, owner });
  const spool = join(folder, "home", "turns", id, "1");
  if (ended) {
    writeFileSync(join(folder, "go"), "");
    await until(async () => (await engine.launcher.state({ turn: id, attempt: 1 })) === "ended");
  } else {
    await appears(join(spool, "agent"));
    // As if the shim had written it there: what runs cannot be seen.
    for (const name of ["pid", "agent"]) {
      const [pid, start, boot, host, machine, namespace] = readFileSync(
        join(spool, name),
        "utf8",
      ).split("\n");
      const there = { boot, host, machine, namespace, ...elsewhere };
      writeFileSync(
        join(spool, name),
        `${[pid, start, there.boot, there.host, there.machine, there.namespace].join("\n")}\n`,
      );
    }
  }
  return id;
}

/** Sends behind the turn that was left; comes back when it waits. */
async function sendBehind(): Promise<{
  progress: Progress[];
  sent: Promise<unknown>;
  abort(): void;
}> {
  const progress: Progress[] = [];
  const cancel = new AbortController();
  const sent = reprise.sessions.send(
    { key: "k", prompt: "next" },
    { signal: cancel.signal, onProgress: (step) => progress.push(step) },
  );
  await until(() => progress.some(({ type }) => type === "waiting"));
  return { progress, sent, abort: () => cancel.abort() };
}

describe.each(Object.entries(containers))("S5: a turn of %s", (_, elsewhere) => {
  test("S5: whose exit is recorded is taken once its place was silent for 15 s", async () => {
    const id = await leftBy(elsewhere, true);
    const { progress, sent } = await sendBehind();
    expect(progress[0]).toMatchObject({
      behind: id,
      owner: { pid: 7, host: "old-name" },
      unseen: true,
    });
    expect((await engine.store.readTurn(id))?.status).toBe("running");
    later += 16_000;
    expect(await sent).toMatchObject({ turn: { status: "done" } });
    expect(await engine.store.readTurn(id)).toMatchObject({ status: "done", output: "held" });
    const prompts = readLedger(ledgerPath(join(folder, "agent"))).filter(
      ({ event, prompt }) => event === "model" && String(prompt).includes("hold"),
    );
    expect(prompts).toHaveLength(1);
  });

  test("S5: without exit it keeps its session, and a person's word ends it", async () => {
    const id = await leftBy(elsewhere, false);
    const { sent } = await sendBehind();
    later += 60_000;
    const busy = await reprise.sessions
      .send({ key: "k", prompt: "no", busy: "fail" })
      .catch(String);
    expect(busy).toMatch(/in use by turn \w+ of process 7 on old-name since \d{4}-/);
    expect((await engine.store.readTurn(id))?.status).toBe("running");
    const ended = await reprise.turns.cancel(id, { by: "ann", ownerGone: true });
    expect(ended).toMatchObject({
      turn: { status: "interrupted" },
      error: {
        code: "owner-gone",
        message: expect.stringMatching(/^ann reported that process 7 on/),
      },
    });
    expect(await sent).toMatchObject({ turn: { status: "done" } });
  });
});

test("S5: a living owner is not declared gone", async () => {
  const id = await leftBy({ ...identify(process.ppid)! }, false);
  const gone = reprise.turns.cancel(id, { ownerGone: true });
  await expect(gone).rejects.toMatchObject({ code: "owner-lives" });
  expect((await engine.store.readTurn(id))?.status).toBe("running");
});

test("S5: a place that beats is not silent, and doctor names a home that is opened twice", async () => {
  const elsewhere = { ...engine.owner, namespace: "pid:[1]", host: "twin" };
  const twin = new Hosts({ store: engine.store, owner: elsewhere, now });
  for (let beats = 0; beats < 4; beats += 1) {
    expect(await engine.hosts.state(elsewhere)).toBe("lives");
    await twin.beat();
    later += 10_000;
  }
  await twin.beat();
  // Several hosts may share a database; a database in the home's folder is for one.
  const subject = isShared(engine.home.path) ? "servers" : "home opened twice";
  const { findings } = await reprise.doctor();
  expect(findings).toContainEqual(
    expect.objectContaining({ subject, text: expect.stringContaining("twin") }),
  );
  twin.close();
  expect(await engine.hosts.state(elsewhere)).toBe("lives");
  later += 15_000;
  expect(await engine.hosts.state(elsewhere)).toBe("silent");
  expect((await reprise.doctor()).findings.map(({ subject }) => subject)).not.toContain(subject);
});

test("S5: owners of schema 11 are judged as before, and are not for ever alive elsewhere", async () => {
  const { machine: _, namespace: __, hostId: ___, ...old } = engine.owner;
  expect(await engine.hosts.state(old)).toBe("lives");
  expect(await engine.hosts.state({ ...old, start: "1" })).toBe("gone");
  const container = { ...old, host: "old-name", start: "1" };
  expect(await engine.hosts.state(container)).toBe("lives");
  later += 10_000;
  expect(await engine.hosts.state(container)).toBe("lives");
  later += 10_000;
  expect(await engine.hosts.state(container)).toBe("silent");
});
