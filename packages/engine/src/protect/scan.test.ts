import { hash, randomBytes } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import { expect, test } from "vitest";
import {
  type ScriptedSubject,
  startScripted,
} from "../../../../test/conformance/scripted-subject.ts";
import { codes, key, recall, secret, witnessed } from "../../../../test/conformance/subject.ts";

const id = "0f5b1c1e-3a51-4d0c-9b8e-6f3f3c1f2a10";
const other = id.replace("0f5b", "1f5b");
const line = (text: string, role = "user") => `${JSON.stringify({ role, text })}\n`;
const begun = `${line(`remember ${secret}`)}${line("I will.", "assistant")}`;

/** Writes a session that Reprise does not know of. */
function type(subject: ScriptedSubject, of = id, text = begun): string {
  const file = subject.sessionFile(of);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Long ago, so that the next write has another time. */
const age = (file: string) => utimesSync(file, 1000, 1000);
const scan = ({ protect }: Reprise) => protect.scan();
const nothing = { added: 0, changed: 0, gone: 0, filesRead: 0, bytesRead: 0, unread: [] };

test("a session is kept, and after a loss put back, so that Reprise continues it", async () => {
  await using subject = await startScripted();
  const { reprise } = subject;
  const file = type(subject);
  expect(await scan(reprise)).toMatchObject({ found: 1, added: 1, changed: 0, filesRead: 1 });
  const home = { provider: "scripted", place: subject.agentHome, own: 0 };
  expect(await reprise.protect.status()).toMatchObject({
    onAt: null,
    unread: 0,
    homes: [{ ...home, kept: 1, gone: 0, deletesAfter: null }],
  });

  rmSync(dirname(file), { recursive: true });
  expect(await scan(reprise)).toMatchObject({ found: 0, gone: 1, filesRead: 0 });
  expect(await scan(reprise)).toMatchObject({ gone: 0 });
  const [lost] = await reprise.protect.list({ gone: true });
  expect(lost).toMatchObject({ id, prompt: `remember ${secret}`, goneAt: expect.any(Number) });

  const dry = await reprise.protect.restore({ id, dryRun: true });
  expect(dry).toMatchObject({ changed: false, files: [{ path: file, action: "written" }] });
  expect(existsSync(file)).toBe(false);
  expect(await reprise.protect.restore({ id: id.slice(0, 6) })).toMatchObject({
    changed: true,
    aside: null,
    files: [{ path: file, action: "written" }],
  });
  expect(readFileSync(file, "utf8")).toBe(begun);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await reprise.protect.restore({ id })).toMatchObject({
    changed: false,
    files: [{ action: "same" }],
  });

  await reprise.sessions.adopt({ key, agent: "coder", provider: "scripted", id });
  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("resume");
  expect(codes(seen.turn)).toEqual([]);
  expect(seen.turn.output).toBe(secret);
});

test("a scan reads only what changed, and of that only what was appended", async () => {
  await using subject = await startScripted();
  const { reprise } = subject;
  const long = begun + line("x".repeat(300_000));
  const file = type(subject, id, long);
  const unchanged = type(subject, other);
  for (const each of [file, unchanged]) age(each);
  await scan(reprise);
  // Same size and time: if it were read, the copy would be another.
  writeFileSync(unchanged, begun.replace("I will", "I WILL"));
  age(unchanged);
  expect(await scan(reprise)).toMatchObject({ found: 2, ...nothing });
  rmSync(unchanged);
  await reprise.protect.restore({ id: other });
  expect(readFileSync(unchanged, "utf8")).toBe(begun);
  await scan(reprise);

  const added = line("what did I ask you to remember?");
  appendFileSync(file, added);
  const report = await scan(reprise);
  expect(report).toMatchObject({ added: 0, changed: 1, filesRead: 1 });
  expect(report.bytesRead).toBeLessThan(long.length);
  rmSync(file);
  await reprise.protect.restore({ id });
  expect(readFileSync(file, "utf8")).toBe(long + added);
});

test("a line that is being written is read by the next scan", async () => {
  await using subject = await startScripted();
  const { reprise } = subject;
  const next = line("echo next");
  const file = type(subject, id, begun + next.slice(0, 9));
  await scan(reprise);
  appendFileSync(file, next.slice(9));
  const written = readFileSync(file);
  rmSync(file);
  await reprise.protect.restore({ id });
  expect(readFileSync(file, "utf8")).toBe(begun);
  writeFileSync(file, written);
  expect(await scan(reprise)).toMatchObject({ changed: 1 });
  rmSync(file);
  await reprise.protect.restore({ id });
  expect(readFileSync(file, "utf8")).toBe(begun + next);
});

test("a large file is kept in parts", async () => {
  await using subject = await startScripted();
  const { reprise } = subject;
  const lines = Array.from({ length: 9 }, () => line(randomBytes(600_000).toString("hex")));
  const file = type(subject, id, begun + lines.join(""));
  const digest = hash("sha256", readFileSync(file));
  await scan(reprise);
  rmSync(file);
  await reprise.protect.restore({ id });
  expect(hash("sha256", readFileSync(file))).toBe(digest);
});

test("what its program rewrote is kept, and what was there before it too", async () => {
  await using subject = await startScripted();
  const { reprise } = subject;
  const file = type(subject);
  age(file);
  await scan(reprise);
  // Longer than before, so only its content tells.
  const rewritten = line(`a summary ${"of it ".repeat(50)}`);
  writeFileSync(file, rewritten);
  expect(await scan(reprise)).toMatchObject({ changed: 1 });
  rmSync(file);
  await reprise.protect.restore({ id });
  expect(readFileSync(file, "utf8")).toBe(rewritten);
  await reprise.protect.restore({ id, earlier: true, force: true });
  expect(readFileSync(file, "utf8")).toBe(begun);
});

test("a file that has no session any more counts as lost, and is replaced only when that is wanted", async () => {
  await using subject = await startScripted();
  const { reprise } = subject;
  const file = type(subject);
  await scan(reprise);
  writeFileSync(file, "");
  expect(await scan(reprise)).toMatchObject({ gone: 1 });
  expect(await scan(reprise)).toMatchObject({ found: 1, ...nothing });
  await expect(reprise.protect.restore({ id })).rejects.toMatchObject({ code: "file-differs" });
  expect(readFileSync(file, "utf8")).toBe("");
  const { aside } = await reprise.protect.restore({ id, force: true });
  expect(readFileSync(join(aside!, `${id}.jsonl`), "utf8")).toBe("");
  expect(readFileSync(file, "utf8")).toBe(begun);
  await scan(reprise);
  expect(await reprise.protect.status()).toMatchObject({ homes: [{ kept: 1, gone: 0 }] });
});

test("a session that Reprise continues is counted apart and not stored, until it is purged", async () => {
  await using subject = await startScripted();
  const { reprise } = subject;
  const own = await subject.begin();
  expect(await scan(reprise)).toMatchObject({ found: 1, added: 0 });
  const counts = async () => (await reprise.protect.status()).homes;
  expect(await counts()).toMatchObject([{ kept: 0, own: 1, bytes: 0 }]);
  expect(await scan(reprise)).toMatchObject(nothing);
  await reprise.sessions.purge(key);
  expect(await scan(reprise)).toMatchObject({ added: 0, changed: 1 });
  expect(await counts()).toMatchObject([{ kept: 1, own: 0 }]);
  await reprise.sessions.adopt({ key: "again", agent: "coder", provider: "scripted", id: own });
  await scan(reprise);
  expect(await counts()).toMatchObject([{ kept: 0, own: 1, bytes: 0 }]);
});

test("a file that cannot be read is named, and does not stop the scan", async () => {
  await using subject = await startScripted();
  const { reprise } = subject;
  const loop = subject.sessionFile(other);
  type(subject);
  symlinkSync(loop, loop);
  const report = await scan(reprise);
  expect(report).toMatchObject({ added: 1, unread: [{ path: loop }] });
  expect(report.unread[0]?.problem).toContain("ELOOP");
  expect(await reprise.protect.status()).toMatchObject({ unread: 1 });
});

test("a limit leaves the others to the next call", async () => {
  await using subject = await startScripted();
  const { reprise } = subject;
  for (const each of [id, other]) type(subject, each);
  expect(await reprise.protect.scan({ limit: 1 })).toMatchObject({ added: 1, remaining: 1 });
  expect((await reprise.protect.status()).scannedAt).toBeNull();
  expect(await reprise.protect.scan({ limit: 1 })).toMatchObject({ added: 1, remaining: 0 });
  expect((await reprise.protect.status()).scannedAt).not.toBeNull();
});

test("what is forgotten is not kept again while its file is there", async () => {
  await using subject = await startScripted();
  const { reprise } = subject;
  const file = type(subject);
  await scan(reprise);
  expect(await reprise.protect.forget(id)).toMatchObject({ id });
  expect(await scan(reprise)).toMatchObject({ found: 1, ...nothing });
  await expect(reprise.protect.restore({ id })).rejects.toMatchObject({ code: "not-kept" });
  renameSync(file, `${subject.root}/hidden`);
  await scan(reprise);
  renameSync(`${subject.root}/hidden`, file);
  expect(await scan(reprise)).toMatchObject({ added: 1 });
});

test("protect.keep says how long what is gone is kept", async () => {
  let now = Date.now();
  await using subject = await startScripted();
  await subject.open({ settings: { "protect.keep": "7d" }, now: () => now });
  const { reprise } = subject;
  const file = type(subject);
  await scan(reprise);
  rmSync(file);
  await scan(reprise);
  now += 6 * 86_400_000;
  await scan(reprise);
  expect(await reprise.protect.list({ gone: true })).toHaveLength(1);
  now += 2 * 86_400_000;
  await scan(reprise);
  expect(await reprise.protect.list({ gone: true })).toEqual([]);
});

test("an id that two sessions begin with is refused", async () => {
  await using subject = await startScripted();
  const { reprise } = subject;
  const alike = id.replace("2a10", "2a11");
  for (const each of [id, alike]) type(subject, each);
  await scan(reprise);
  await expect(reprise.protect.restore({ id: "0f5b1c1e" })).rejects.toMatchObject({
    code: "ambiguous-id",
    message: expect.stringContaining(alike),
  });
  await reprise.protect.restore({ id: alike });
});

test("sessions in a folder that cannot be listed are not taken for lost", async () => {
  await using subject = await startScripted();
  const { reprise } = subject;
  const file = type(subject);
  await scan(reprise);
  const folder = dirname(file);
  renameSync(folder, `${folder}.there`);
  symlinkSync(folder, folder);
  const report = await scan(reprise);
  expect(report).toMatchObject({ found: 0, gone: 0, unread: [{ path: folder }] });
  expect(await reprise.protect.list({ gone: true })).toEqual([]);
  rmSync(folder);
  renameSync(`${folder}.there`, folder);
  expect(await scan(reprise)).toMatchObject({ found: 1, ...nothing });
});
