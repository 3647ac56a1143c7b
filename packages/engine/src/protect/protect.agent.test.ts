/** What the real programs lose by themselves is put back, and they and Reprise continue it; their hooks start scans. */

import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { agentBinary, installAgents, leftOut } from "../../../../test/agents/agents.ts";
import { type ClaudeSubject, startClaude } from "../../../../test/conformance/claude-subject.ts";
import { startCodex } from "../../../../test/conformance/codex-subject.ts";
import { startGemini } from "../../../../test/conformance/gemini-subject.ts";
import { typeNatively } from "../../../../test/conformance/native.ts";
import {
  codes,
  key,
  recall,
  type Subject,
  secret,
  witnessed,
} from "../../../../test/conformance/subject.ts";
import { appears, until } from "../../../../test/until.ts";

beforeAll(async () => {
  const problem = (await installAgents()).find((installed) => installed.problem !== null)?.problem;
  if (problem) throw new Error(problem);
});

/** Claude as a person starts it: with its own settings, and none of Reprise's. */
async function claude(subject: ClaudeSubject, prompt: string, ...flags: string[]): Promise<string> {
  const child = spawn(agentBinary("claude"), ["--print", ...flags, prompt], {
    cwd: subject.folder,
    env: { ...subject.env, CLAUDE_CONFIG_DIR: subject.agentHome },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if ((await closed) !== 0) throw new Error(`claude failed: ${stdout}${stderr}`);
  return stdout.trim();
}

const day = 86_400_000;
const program = fileURLToPath(new URL("../../../../bin/reprise.cjs", import.meta.url));

/** Turns the hooks on; then a turn in the program itself is kept without a further command. */
async function expectHooked(
  subject: Subject,
  env: Record<string, string>,
  turn: () => Promise<unknown>,
) {
  const on = ["protect", "on", "--hooks", "--yes"];
  const options = { env: { ...subject.env, ...env, REPRISE_HOME: subject.home } };
  await promisify(execFile)(process.execPath, [program, ...on], options);
  const kept = async () =>
    (await subject.reprise.protect.status()).homes.reduce((sum, home) => sum + home.kept, 0);
  expect(await kept()).toBe(0);
  await turn();
  await until(async () => (await kept()) === 1);
}

describe.skipIf(leftOut("claude") !== null)("claude", () => {
  test("a session that its own clean-up deleted is put back, and continued by claude and by Reprise", async () => {
    await using subject = await startClaude();
    const { protect } = subject.reprise;
    const id = crypto.randomUUID();
    await claude(subject, `remember ${secret}`, "--session-id", id);
    const file = subject.sessionFile(id);
    const unused = (Date.now() - 40 * day) / 1000;
    utimesSync(file, unused, unused);
    expect(await protect.scan()).toMatchObject({ added: 1, unread: [] });
    const [next] = await protect.list();
    expect(next).toMatchObject({ id, folder: subject.folder, why: expect.stringContaining("30") });
    expect(next?.expiresAt).toBeLessThan(Date.now());

    // Its clean-up runs some ten seconds after the start, while it waits for the model.
    const held = subject.hold();
    const working = claude(subject, "echo meanwhile");
    await held.reached();
    await appears(join(subject.agentHome, ".last-cleanup"));
    await until(() => !existsSync(file));
    held.release();
    await working;
    await expect(claude(subject, recall, "--resume", id)).rejects.toThrow("No conversation found");

    expect(await protect.scan()).toMatchObject({ added: 1, gone: 1 });
    expect(await protect.list({ gone: true })).toMatchObject([{ id, goneAt: expect.any(Number) }]);
    expect(await protect.restore({ id })).toMatchObject({
      changed: true,
      files: [{ path: file, action: "written" }],
    });
    const before = subject.witness.calls().length;
    expect(await claude(subject, recall, "--resume", id)).toBe(secret);
    expect(subject.witness.calls().slice(before)).toMatchObject([{ session: id, earlier: 2 }]);

    await subject.reprise.sessions.adopt({ key, agent: "coder", provider: "claude", id });
    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("resume");
    expect(seen.calls).toMatchObject([{ earlier: 4 }]);
    expect(codes(seen.turn)).toEqual([]);
    expect(seen.turn.output).toBe(secret);
    await protect.scan();
    expect(await protect.status()).toMatchObject({ homes: [{ kept: 1, own: 1, gone: 0 }] });
  });

  test("its hooks start a scan after it has answered", async () => {
    await using subject = await startClaude();
    await expectHooked(subject, { CLAUDE_CONFIG_DIR: subject.agentHome }, () =>
      claude(subject, "echo hooked"),
    );
  });
});

describe.skipIf(leftOut("gemini") !== null)("gemini", () => {
  test("a session that was deleted is put back, and continued by gemini and by Reprise", async () => {
    await using subject = await startGemini();
    const { protect } = subject.reprise;
    const id = await typeNatively(subject, `remember ${secret}`);
    expect(await protect.scan()).toMatchObject({ added: 1, unread: [] });
    rmSync(subject.sessionFile(id));
    expect(await protect.scan()).toMatchObject({ gone: 1 });
    expect(await protect.restore({ id })).toMatchObject({ changed: true });
    const before = subject.witness.calls().length;
    await typeNatively(subject, recall, id);
    expect(subject.witness.calls().slice(before)).toMatchObject([{ session: id, earlier: 2 }]);
    await subject.reprise.sessions.adopt({ key, agent: "coder", provider: "gemini", id });
    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("resume");
    expect(seen.turn.output).toBe(secret);
  });

  test("its hooks start a scan after it has answered", async () => {
    await using subject = await startGemini();
    await expectHooked(subject, { GEMINI_CLI_HOME: subject.agentHome }, () =>
      typeNatively(subject, "echo hooked"),
    );
  });
});

describe.skipIf(leftOut("codex") !== null)("codex", () => {
  test("a thread that was deleted is put back, and continued by codex and by Reprise", async () => {
    await using subject = await startCodex();
    const { protect } = subject.reprise;
    const id = await typeNatively(subject, `remember ${secret}`);
    expect(await protect.scan()).toMatchObject({ added: 1, unread: [] });
    const file = subject.sessionFile(id);
    const bytes = readFileSync(file);
    rmSync(file);
    expect(await protect.scan()).toMatchObject({ gone: 1 });
    expect(await protect.restore({ id })).toMatchObject({ changed: true });
    expect(readFileSync(file)).toEqual(bytes);
    const before = subject.witness.calls().length;
    await typeNatively(subject, recall, id);
    expect(subject.witness.calls().slice(before)).toMatchObject([{ session: id, earlier: 2 }]);
    await subject.reprise.sessions.adopt({ key, agent: "coder", provider: "codex", id });
    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("resume");
    expect(seen.turn.output).toBe(secret);
  });
});
