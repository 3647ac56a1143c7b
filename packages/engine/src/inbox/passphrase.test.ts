/** A gate that asks for a passphrase takes no answer without it, on any surface. */

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openEngine } from "../open-reprise.ts";
import { setPassphrase } from "./passphrase.ts";

const source = `
name: release
steps:
  sign-off: { gate: { title: Ship it?, passphrase: release } }
  push: { needs: sign-off, shell: touch pushed }
`;
const right = "correct horse battery";
const clock = { now: Date.parse("2026-03-01T10:00:00Z") };

let folder: string;
let opened: Awaited<ReturnType<typeof openEngine>>;

beforeEach(async () => {
  folder = temporaryFolder("passphrase");
  opened = await openEngine({ home: join(folder, "home"), cwd: folder, now: () => clock.now });
});

afterEach(async () => {
  await opened.reprise.close();
  rmSync(folder, { recursive: true });
});

const set = (passphrase: string | null, current: string | null = null) =>
  setPassphrase(opened.engine, { name: "release", passphrase, current, by: "ann" });

test("V20: a run whose gate asks for a passphrase that is not set is refused before it starts", async () => {
  await expect(opened.reprise.runs.start({ source, id: "r1" })).rejects.toMatchObject({
    code: "no-passphrase",
    hint: 'Set it with the Reprise command "passphrase set release".',
  });
  expect(await opened.reprise.runs.list()).toEqual([]);
});

test("V20: only the passphrase opens the gate; wrong ones leave it open and have to wait", async () => {
  await set(right);
  const { inbox, runs } = opened.reprise;
  const [item = ""] = (await runs.start({ source, id: "r1" })).waitsFor;
  expect(await inbox.show(item)).toMatchObject({ passphrase: "release" });
  const answer = (passphrase?: string) =>
    inbox.answer({ item, choice: "approve", by: "ann", ...(passphrase && { passphrase }) });

  await expect(answer()).rejects.toMatchObject({ code: "passphrase-needed", exitCode: 5 });
  for (const wrong of ["correct horse", `${right} `, right.toUpperCase()])
    await expect(answer(wrong)).rejects.toMatchObject({ code: "wrong-passphrase", exitCode: 5 });
  // The right one, too, has to wait by now.
  await expect(answer(right)).rejects.toMatchObject({ code: "passphrase-blocked", exitCode: 5 });
  const reject = { item, choice: "reject", by: "ann" };
  await expect(inbox.answer(reject)).rejects.toMatchObject({ code: "passphrase-needed" });
  expect(await inbox.list()).toMatchObject([{ id: item, resolution: null }]);
  expect(readdirSync(folder)).not.toContain("pushed");

  clock.now += 10_000;
  expect(await answer(right)).toMatchObject({ given: true, run: { status: "done" } });
  expect(readdirSync(folder)).toContain("pushed");
  // The same answer again changes nothing, and needs no passphrase.
  expect(await answer()).toMatchObject({ given: false });

  await opened.reprise.close();
  for (const file of readdirSync(join(folder, "home"), { recursive: true, withFileTypes: true }))
    if (file.isFile())
      expect(readFileSync(join(file.parentPath, file.name))).not.toContain(Buffer.from(right));
  opened = await openEngine({ home: join(folder, "home"), cwd: folder });
});

test("V20: a passphrase is replaced or removed only by someone who knows it", async () => {
  await set(right);
  for (const current of [null, "a wrong one"])
    await expect(set("another passphrase", current)).rejects.toMatchObject({
      code: "wrong-passphrase",
      exitCode: 5,
    });
  await set("another passphrase", right);
  await expect(set(null, right)).rejects.toMatchObject({ code: "wrong-passphrase" });
  await set(null, "another passphrase");
  expect(await opened.engine.store.listPassphrases()).toEqual([]);
});
