import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { scratchFolder } from "../suite/sqlite-scratch.ts";
import { openSqliteStore } from "./open.ts";

const hammer = fileURLToPath(new URL("./hammer.ts", import.meta.url));

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
  expect(await store.listOpenTurns()).toEqual([]);
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
