/** A session that claude itself runs in the background is busy, and is left alone. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { agentBinary } from "../agents/agents.ts";
import { makeClaudeHome } from "../agents/claude-home.ts";
import { type ClaudeSubject, startClaude } from "./claude-subject.ts";
import { onAgent } from "./real-subject.ts";
import { key, recall, secret } from "./subject.ts";

/** Claude's own commands, as a person types them beside Reprise. */
async function native(subject: ClaudeSubject, ...args: string[]): Promise<string> {
  const env = { ...subject.env, CLAUDE_CONFIG_DIR: subject.agentHome };
  const options = { cwd: subject.folder, env };
  const done = promisify(execFile)(agentBinary("claude"), args, options);
  done.child.stdin?.end();
  return (await done).stdout;
}

onAgent("claude", "S18", () => {
  test("S18: claude: a session that runs in the background is busy, its holder is named, and there is no strike", async () => {
    await using subject = await startClaude();
    makeClaudeHome(subject.agentHome, subject.folder, subject.env);
    const id = await subject.begin();
    const held = subject.hold();
    onTestFinished(() => void native(subject, "daemon", "stop", "--any").catch(() => {}));
    await native(subject, "--bg", `--resume=${id}`, "echo in the background");
    await held.reached();
    const listed = async () => JSON.parse(await native(subject, "agents", "--json"));
    let holder: { pid?: number; sessionId: string } | undefined;
    // Claude itself needs a moment to know who has it.
    while (holder?.pid === undefined) [holder] = await listed();
    expect(holder.sessionId).toBe(id);

    const calls = subject.witness.calls().length;
    // More often than the maximum of strikes.
    for (let time = 0; time < 3; time += 1) {
      const { turn } = await subject.send("echo beside it");
      expect(turn).toMatchObject({ turn: { status: "failed" }, error: { code: "session-in-use" } });
      expect(turn.error?.message).toContain(`with pid ${holder.pid}`);
      expect(turn.error?.message).toContain(`claude stop ${id.slice(0, 8)}`);
    }
    expect(subject.witness.calls()).toHaveLength(calls);
    const { decision } = await subject.reprise.sessions.explain({ key });
    expect(decision.verdicts.find(({ guard }) => guard === "healthy")).toMatchObject({
      passed: true,
      current: "0 strikes",
    });

    held.release();
    await native(subject, "stop", id.slice(0, 8));
    await native(subject, "daemon", "stop", "--any");
    const next = await subject.send(recall);
    expect(next.turn).toMatchObject({ decision: { outcome: "resume" }, output: secret });
    expect(next.launches).toMatchObject([{ resumed: id }]);
  });

  test("S18: claude: a turn starts no background service of claude's", async () => {
    await using subject = await startClaude();
    makeClaudeHome(subject.agentHome, subject.folder, subject.env);
    await subject.begin();
    const program = agentBinary("claude");
    const { turn } = await subject.send(`run ${program} --bg "echo hidden" 2>&1; true`);
    expect(turn.output).toContain("is disabled by CLAUDE_CODE_DISABLE_AGENT_VIEW");
    expect(await native(subject, "agents", "--json")).toBe("[]\n");
    expect(existsSync(join(subject.agentHome, "daemon.lock"))).toBe(false);
  });
});
