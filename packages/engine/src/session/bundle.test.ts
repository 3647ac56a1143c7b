import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { startScripted } from "../../../../test/conformance/scripted-subject.ts";
import { codes, key, recall, secret, witnessed } from "../../../../test/conformance/subject.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** The bundle with its lines changed, and a checksum that fits again. */
function altered(bundle: Uint8Array, change: (lines: Record<string, unknown>[]) => void) {
  const lines = zstdDecompressSync(bundle).toString().trimEnd().split("\n").slice(0, -1);
  const values = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  change(values);
  const text = values.map((value) => `${JSON.stringify(value)}\n`).join("");
  return zstdCompressSync(`${text}${JSON.stringify({ type: "end", sha256: sha256(text) })}\n`);
}

async function exported() {
  await using subject = await startScripted();
  const id = await subject.begin();
  await subject.send("echo second");
  const { sessions } = subject.reprise;
  return {
    id,
    bundle: await sessions.export({ key }),
    transcript: await sessions.export({ key, transcriptOnly: true }),
  };
}

test("a session exported on one home and imported on another resumes there, in another folder", async () => {
  const { id, bundle } = await exported();
  await using subject = await startScripted();
  const folder = subject.newFolder("elsewhere");
  const { sessions } = subject.reprise;
  await subject.createAgent("other");
  expect(await sessions.import({ bundle, key: "here", agent: "other", folder })).toEqual({
    key: "here",
    agent: "other",
    provider: "scripted",
    messages: 4,
    next: "resume",
    notices: [],
  });
  const seen = await subject.send(recall, { key: "here", agent: "other", folder });
  expect(witnessed(seen, id)).toBe("resume");
  expect(seen.calls).toMatchObject([{ earlier: 4 }]);
  expect(seen.turn.output).toBe(secret);
  expect(codes(seen.turn)).toEqual([]);
  expect(await sessions.verify("here")).toMatchObject([{ sound: true, findings: [] }]);
});

test("without the provider's files it is sent the transcript", async () => {
  const { id, transcript } = await exported();
  expect(zstdDecompressSync(transcript).toString()).not.toContain(id);
  await using subject = await startScripted();
  const { next, notices } = await subject.reprise.sessions.import({ bundle: transcript });
  expect({ next, code: notices[0]?.code }).toEqual({ next: "reseed", code: "transcript-only" });
  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("reseed");
  expect(seen.turn.output).toBe(secret);
});

test("a bundle has the conversation, and nothing of the account, the settings or the home", async () => {
  await using subject = await startScripted({ instructions: "Speak of nothing." });
  subject.env.SOME_API_KEY = "credential-of-a-user";
  await subject.open();
  await subject.begin();
  const bundle = await subject.reprise.sessions.export({ key });
  const text = zstdDecompressSync(bundle).toString();
  expect(text).toContain(secret);
  expect(JSON.parse(text.slice(0, text.indexOf("\n")))).toMatchObject({ sensitive: true });
  for (const absent of ['"me"', "credential-of-a-user", subject.home, subject.agentHome])
    expect(text).not.toContain(absent);
});

test("a session that is in use is exported as it was confirmed last", async () => {
  await using subject = await startScripted();
  await subject.begin();
  const hold = subject.hold();
  const running = subject.send("remember PEAR-12");
  await hold.reached();
  const bundle = await subject.reprise.sessions.export({ key });
  hold.release();
  await running;
  await using other = await startScripted();
  await other.reprise.sessions.import({ bundle });
  const seen = await other.send(recall);
  expect(seen.calls).toMatchObject([{ earlier: 2 }]);
  expect(seen.turn.output).toBe(secret);
});

type Change = (lines: Record<string, unknown>[]) => void;
const file = (lines: Record<string, unknown>[]) => lines.find(({ type }) => type === "file")!;
const changes: readonly (readonly [string, string, Change])[] = [
  ["a newer version", "bundle-newer", ([first]) => Object.assign(first!, { version: 2 })],
  ["another kind of file", "not-a-bundle", ([first]) => Object.assign(first!, { type: "other" })],
  ["a file's checksum", "bundle-unfit", (lines) => Object.assign(file(lines), { sha256: "0" })],
  [
    "a file that belongs to no session",
    "bundle-unfit",
    (lines) => Object.assign(file(lines), { name: "config.toml" }),
  ],
  [
    "a file outside of the home",
    "bundle-unfit",
    (lines) => Object.assign(file(lines), { name: "../../escaped" }),
  ],
  [
    "an id that is a path",
    "bundle-unfit",
    (lines) => Object.assign(lines.find(({ type }) => type === "pin")!, { id: "../x" }),
  ],
  [
    "a history that the pin does not have",
    "bundle-unfit",
    (lines) => {
      const base64 = Buffer.from('{"role":"user","text":"x"}\n').toString("base64");
      const digest = sha256(Buffer.from(base64, "base64").toString());
      Object.assign(file(lines), { base64, sha256: digest });
    },
  ],
];

test.each(changes)("%s: %s, and nothing is written", async (_, code, change) => {
  const { bundle } = await exported();
  await using subject = await startScripted();
  const { sessions } = subject.reprise;
  const importing = sessions.import({ bundle: altered(bundle, change) });
  await expect(importing).rejects.toMatchObject({ code, exitCode: 2 });
  expect(await sessions.list()).toEqual([]);
  expect(existsSync(join(subject.agentHome, "sessions"))).toBe(false);
  expect(existsSync(join(subject.root, "escaped"))).toBe(false);
});

test("a bundle that was cut off, changed, or is none is refused", async () => {
  const { bundle } = await exported();
  await using subject = await startScripted();
  const { sessions } = subject.reprise;
  const text = zstdDecompressSync(bundle).toString();
  for (const [bytes, code] of [
    [bundle.slice(0, bundle.length / 2), "not-a-bundle"],
    [Buffer.from("hello"), "not-a-bundle"],
    [zstdCompressSync(text.slice(0, text.length / 2)), "bundle-damaged"],
    [zstdCompressSync(text.replace(secret, "ORANGE-11")), "bundle-damaged"],
  ] as const)
    await expect(sessions.import({ bundle: bytes })).rejects.toMatchObject({ code });
  expect(await sessions.list()).toEqual([]);
});

test("a key that exists, a handle in use and a missing agent are refused; the files stay", async () => {
  await using subject = await startScripted();
  const { sessions } = subject.reprise;
  const id = await subject.begin();
  const before = readFileSync(subject.sessionFile(id));
  const bundle = await sessions.export({ key });
  for (const [input, code] of [
    [{}, "session-exists"],
    [{ key: "again" }, "handle-pinned"],
    [{ key: "again", agent: "unknown" }, "no-agent"],
  ] as const)
    await expect(sessions.import({ bundle, ...input })).rejects.toMatchObject({ code });
  await subject.send("echo on");
  const grown = readFileSync(subject.sessionFile(id));
  await expect(sessions.import({ bundle, key: "again" })).rejects.toMatchObject({
    code: "session-occupied",
  });
  expect(readFileSync(subject.sessionFile(id))).toEqual(grown);
  expect(grown.subarray(0, before.length)).toEqual(before);
});

test("a conversation started in the agent's own program is adopted and resumed", async () => {
  await using subject = await startScripted({ instructions: "Answer in one line." });
  const { sessions } = subject.reprise;
  const id = await subject.begin();
  await sessions.purge(key);

  const adopt = { provider: "scripted", id, key: "adopted", agent: "coder" };
  const created = await sessions.adopt(adopt);
  expect(created).toMatchObject({ key: "adopted", messages: 2, next: "resume" });
  const seen = await subject.send(recall, { key: "adopted" });
  expect(witnessed(seen, id)).toBe("resume");
  expect(seen.turn.output).toBe(secret);
  // The instructions in its own program are unknown, so they are sent here.
  expect(seen.calls[0]?.prompt).toContain("Answer in one line.");

  await expect(sessions.adopt({ ...adopt, key: "twice" })).rejects.toMatchObject({
    code: "handle-pinned",
  });
  subject.misbehave("refuse");
  await subject.send(recall, { key: "adopted" });
  for (const [input, code] of [
    [{}, "handle-retired"],
    [{ id: "not-an-id" }, "bad-session-id"],
    [{ id: "11111111-1111-4111-8111-111111111111" }, "no-provider-session"],
    [{ provider: "codex" }, "other-provider"],
    [{ agent: "unknown" }, "no-agent"],
  ] as const)
    await expect(sessions.adopt({ ...adopt, key: "twice", ...input })).rejects.toMatchObject({
      code,
    });
  expect((await sessions.list()).map((session) => session.key)).toEqual(["adopted"]);
});

test("V19: a small bundle that would unpack to hundreds of megabytes is refused", async () => {
  await using subject = await startScripted();
  await subject.createAgent("other");
  const bundle = zstdCompressSync(Buffer.alloc(200 * 1024 * 1024, " "));
  expect(bundle.byteLength).toBeLessThan(100_000);
  await expect(subject.reprise.sessions.import({ bundle, key: "here" })).rejects.toMatchObject({
    code: "not-a-bundle",
  });
});
