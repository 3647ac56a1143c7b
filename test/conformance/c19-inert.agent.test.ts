/** C19 on the real agents. */

import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AgentName, agentBinary } from "../agents/agents.ts";
import { credentialName, inertness } from "./c19-inert.cases.ts";
import { startClaude } from "./claude-subject.ts";
import { onRealAgents } from "./real-agents.ts";
import { onAgent, type RealSubject } from "./real-subject.ts";
import { codes, failed, recall, secret } from "./subject.ts";

const anyId = "([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|ses_[0-9A-Za-z]{26})";

/** The one escape that is documented for each. */
const escapes: Readonly<Record<AgentName, (prompt: string) => string>> = {
  claude: (prompt) => (prompt.startsWith("/") ? ` ${prompt}` : prompt),
  codex: (prompt) => prompt,
  gemini: (prompt) => prompt.replace(/^(?=\/)|(?=@)/g, "\\"),
  opencode: (prompt) => prompt,
  pi: (prompt) => prompt.trim().replace(/^(?=\/)/, "\\"),
};

onRealAgents("C19", (provider, start) => {
  inertness(provider, {
    start,
    escaped: escapes[provider],
    tellCredential: (subject) =>
      (subject as RealSubject).filter(`sed -E "s/${anyId}/$${credentialName}/g"`),
  });

  test(`C19/${provider}: a stale $PWD is not passed on`, async () => {
    await using subject = await start();
    subject.env.PWD = subject.newFolder("elsewhere");
    const order = "run pwd -P && printenv PWD";
    const { turn } = await subject.send(order);
    expect(turn.output).toContain(`${subject.folder}\n${subject.folder}`);
    const resumed = await subject.send(order);
    expect(resumed.turn.output).toContain(`${subject.folder}\n${subject.folder}`);
  });
});

onAgent("claude", "C19", () => {
  test("C19/claude: permission mode, rules and settings do not stick: each turn has those of its agent", async () => {
    await using subject = await startClaude();
    const id = await subject.begin();
    const order = "run sh -c 'echo done'";
    const allowed = await subject.send(order);
    expect(allowed.turn.output).toBe("It said: done");
    expect(allowed.launches[0]?.argv).toContain("--permission-mode=dontAsk");

    const settings = { allowedTools: "Read", permissionMode: "acceptEdits" };
    await subject.reprise.agents.set({ name: "coder", settings });
    const denied = await subject.send(order);
    expect(denied.turn.output).toMatch(/^It said: .*No such tool available: Bash/);
    expect(codes(denied.turn)).toContain("denied");
    expect(denied.launches[0]?.argv.join(" ")).not.toMatch(/--allowedTools=\S*Bash/);
    expect(denied.launches[0]?.resumed).toBe(id);
    for (const { argv } of subject.witness.launches())
      expect(argv.join(" ")).toMatch(/--settings=\S*"cleanupPeriodDays":\d{5}/);
  });
});

/** A program that is claude except for what it says about itself. */
function another(subject: RealSubject, name: string, says: Record<string, string>): string {
  const answers = Object.entries(says).map(([flag, text]) => `${flag}) echo '${text}'; exit ;;`);
  const lines = ["#!/bin/sh", `case $* in ${answers.join(" ")} esac`];
  const path = join(subject.root, name);
  writeFileSync(path, `${lines.join("\n")}\nexec "${agentBinary("claude")}" "$@"\n`, {
    mode: 0o755,
  });
  return path;
}

onAgent("claude", "C19", () => {
  const second: readonly (readonly [string, Record<string, string>, string])[] = [
    ["another version ⇒ resumed, and said", { "--version": "2.1.197 (Claude Code)" }, "resume"],
    ["one that cannot resume ⇒ reseeded", { "--help": "  --model <model>" }, "reseed"],
  ];
  for (const [what, says, outcome] of second)
    test(`C19/claude: the second of its programs takes over between two turns: ${what}`, async () => {
      await using subject = await startClaude();
      const [first, other] = [another(subject, "first", {}), another(subject, "second", says)];
      const settings = { binary: `${first},${other}` };
      await subject.reprise.agents.set({ name: "coder", settings });
      const id = await subject.begin();
      renameSync(first, `${first}-gone`);
      const { turn, calls } = await subject.send(recall);
      expect(turn).toMatchObject({ decision: { outcome }, output: secret });
      expect(turn.attempts.map(({ argv }) => argv?.[0])).toEqual([other]);
      expect(calls).toHaveLength(1);
      expect(calls[0]?.session === id).toBe(outcome === "resume");
      if (outcome === "resume") expect(codes(turn)).toEqual(["runtime-version"]);
      else expect(failed(turn)).toEqual(["capability", "runtime"]);

      renameSync(`${first}-gone`, first);
      const back = await subject.send("echo back");
      expect(back.turn.decision?.outcome).toBe("resume");
      expect(back.turn.attempts[0]?.argv?.[0]).toBe(first);
    });

  test("C19/claude: a second program that is not claude, or none at all, is not started", async () => {
    await using subject = await startClaude();
    const first = another(subject, "first", {});
    const other = another(subject, "second", {
      "--version": "codex-cli 0.166.0",
      "--help": "Codex CLI",
    });
    const settings = { binary: `${first},${other}` };
    await subject.reprise.agents.set({ name: "coder", settings });
    const id = await subject.begin();
    renameSync(first, `${first}-gone`);
    await expect(subject.send(recall)).rejects.toMatchObject({ code: "not-the-agent" });
    rmSync(other);
    await expect(subject.send(recall)).rejects.toMatchObject({ code: "agent-not-found" });
    expect(subject.witness.calls()).toHaveLength(1);

    renameSync(`${first}-gone`, first);
    const { turn, calls } = await subject.send(recall);
    expect(turn).toMatchObject({ decision: { outcome: "resume" }, output: secret });
    expect(calls).toMatchObject([{ session: id, earlier: 2 }]);
  });
});
