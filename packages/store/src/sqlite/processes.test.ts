import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { item, stream, waiting } from "../suite/runs/run-samples.ts";
import { scratchFolder } from "../suite/sqlite-scratch.ts";
import { openSqliteStore } from "./open.ts";

const answerer = fileURLToPath(new URL("./test-answerer.ts", import.meta.url));
const hammer = fileURLToPath(new URL("./test-hammer.ts", import.meta.url));

test("two processes on one file: every turn once, in order, one at a time on a key", async () => {
  const folder = scratchFolder();
  const locks = scratchFolder();
  const path = join(folder, "reprise.db");
  const keys = ["a", "b", "c"];
  const turns = 30;

  await Promise.all(
    ["left", "right"].map(async (name) => {
      const child = spawn(process.execPath, [hammer, path, locks, name, String(turns), ...keys], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      onTestFinished(() => void child.kill());
      const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, "close")]);
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: "" });
    }),
  );

  const store = await openSqliteStore(path);
  onTestFinished(() => store.close());
  expect(await store.listOpenTurns({ limit: 99 })).toEqual([]);
  for (const key of keys) {
    const all = (await store.listTurns({ key, limit: 1000 })).toReversed();
    expect(all).toHaveLength((2 * turns) / keys.length);
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
    expect(all.every(({ status }) => status === "done")).toBe(true);
    expect((await store.readTranscript(key)).map(({ turn }) => turn)).toEqual(
      all.map(({ id }) => id),
    );
  }
  expect(await store.check({ full: true })).toMatchObject({ sound: true });
});

test("four processes at one inbox: every item is resolved once, by an answer or its deadline", async () => {
  const path = join(scratchFolder(), "reprise.db");
  const store = await openSqliteStore(path);
  onTestFinished(() => store.close());
  const deadline = 9000;
  const opens = Array.from({ length: 60 }, (_, index) => item(`item-${index}`, { deadline }));
  const { seq } = await waiting(store, "r1", ...opens);

  const ids = opens.map(({ id }) => id);
  const jobs = [
    ["ann", "answer", ids],
    ["bob", "answer", ids],
    ["clock", "expire", ids],
    ["eve", "answer", ids.toReversed()],
  ] as const;
  const children = jobs.map(([name, how, items]) => {
    const child = spawn(process.execPath, [answerer, path, name, how, String(deadline), ...items]);
    onTestFinished(() => void child.kill());
    const ready = once(child.stdout, "data");
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { name, child, ready, ended };
  });
  await Promise.all(children.map(({ ready }) => ready));
  for (const { child } of children) child.stdin.end();
  const resolved = new Map<string, string>();
  for (const { name, ended } of children) {
    const [stdout, stderr, [code]] = await ended;
    expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: "" });
    for (const id of JSON.parse(stdout.trim().split("\n").at(-1)!) as string[]) {
      expect(resolved.has(id)).toBe(false);
      resolved.set(id, name);
    }
  }

  expect([...resolved.keys()].toSorted()).toEqual(ids.toSorted());
  const log = (await stream(store, "r1")).slice(seq);
  expect(log).toHaveLength(ids.length);
  for (const { type, data } of log) {
    const { item: id, by = "clock" } = data as { item: string; by?: string };
    expect([type, by]).toEqual([
      by === "clock" ? "gate.expired" : "gate.answered",
      resolved.get(id),
    ]);
    const how = by === "clock" ? { how: "expired" } : { how: "answered", by };
    expect(await store.readItem(id)).toMatchObject({ resolution: how });
  }
  expect(await store.readRun("r1")).toMatchObject({ status: "running", seq: seq + ids.length });
});
