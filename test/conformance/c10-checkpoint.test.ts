/** C10 on the scripted agent, and what remains when the write of a checkpoint is cut off anywhere. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { findRestoration } from "@reprise/engine/turn/checkpoint";
import { openSqliteStore } from "@reprise/store/sqlite/open";
import { randomFrom } from "@reprise/store/suite/random";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { checkpoint } from "./c10-checkpoint.cases.ts";
import { fileOf, place } from "./checkpoint-writer.ts";
import { startScripted } from "./scripted-subject.ts";
import { key } from "./subject.ts";

checkpoint("scripted", startScripted);

/** Not a divisor of a frame, so that the cuts fall everywhere in it. */
const step = 509;

const writer = fileURLToPath(new URL("./checkpoint-writer.ts", import.meta.url));

/** The history that a database has pinned, and the files that its checkpoints put back for it. */
async function whatIsThere(database: string, of: { key: string; agent: string }) {
  const store = await openSqliteStore(database);
  try {
    const { pin } = await store.load(of);
    if (pin === null) return null;
    const kept = await store.readCheckpoints({ ...of, handle: pin.handle.id });
    const restoration = findRestoration(kept, pin, () => true);
    return { pin, restoration, sound: (await store.check({ full: true })).sound };
  } finally {
    await store.close();
  }
}

test("C10/scripted: killed while it writes checkpoints ⇒ the last one that was acknowledged, or the next, is whole", async () => {
  const folder = temporaryFolder("checkpoint");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const database = join(folder, "reprise.db");
  const random = randomFrom(10);
  let acknowledged = 0;
  for (let kill = 1; kill <= 12; kill += 1) {
    const child = spawn(process.execPath, [writer, database], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "close");
    let until = 1 + Math.floor(random() * 25);
    for await (const line of createInterface(child.stdout)) {
      acknowledged = Number(line);
      until -= 1;
      if (until === 0) child.kill("SIGKILL");
    }
    await ended;
    expect(child.signalCode).toBe("SIGKILL");

    const found = await whatIsThere(database, place);
    expect(found).toMatchObject({ sound: true, restoration: { earlier: false } });
    const lines = found!.pin.history!.length;
    expect([acknowledged, acknowledged + 1]).toContain(lines);
    const { restoration } = found!;
    if (typeof restoration === "string") throw new Error(restoration);
    expect(restoration.files[0]!.bytes).toEqual(fileOf(lines));
  }
  expect(acknowledged).toBeGreaterThan(50);
});

test("C10/scripted: cut off at any byte of a turn's writes ⇒ pin and checkpoint agree, and the checkpoint is whole", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const database = join(subject.home, "reprise.db");
  const before = statSync(`${database}-wal`).size;
  await subject.send(`echo ${"a long answer ".repeat(500)}`);
  const log = readFileSync(`${database}-wal`);
  expect(log.length).toBeGreaterThan(before);
  const whole = readFileSync(subject.sessionFile(id));

  const cut = subject.newFolder("cut");
  const histories = new Set<number>();
  const ends = Array.from(
    { length: Math.ceil((log.length - before) / step) },
    (_, index) => before + index * step,
  );
  for (const end of [...ends, log.length]) {
    rmSync(cut, { recursive: true });
    subject.newFolder("cut");
    copyFileSync(database, join(cut, "reprise.db"));
    writeFileSync(join(cut, "reprise.db-wal"), log.subarray(0, end));
    const found = await whatIsThere(join(cut, "reprise.db"), { key, agent: "coder" });
    expect(found, `cut off at ${end}`).toMatchObject({
      sound: true,
      restoration: { earlier: false },
    });
    const { restoration } = found!;
    if (typeof restoration === "string") throw new Error(restoration);
    const [file] = restoration.files;
    expect(file!.bytes).toEqual(new Uint8Array(whole.subarray(0, file!.bytes.length)));
    histories.add(found!.pin.history!.length);
  }
  expect([...histories]).toEqual([2, 4]);
});
