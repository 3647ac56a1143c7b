/**
 * The plugins of the package in the real programs, installed by their own commands: the model calls our tools, reads the
 * skill, and adopts the conversation that it is in. The model server's log is the judge.
 */

import { execFile } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Answer, ModelRequest } from "@reprise/providers/models/model";
import { expect, test } from "vitest";
import { claudeWithPlugins } from "../agents/claude-home.ts";
import { startClaude } from "../conformance/claude-subject.ts";
import { startCodex } from "../conformance/codex-subject.ts";
import { onAgent, type RealSubject } from "../conformance/real-subject.ts";
import { recall, remember, secret } from "../conformance/subject.ts";
import { root } from "../workflows/files.ts";
import { idInSkill } from "./id-in-skill.ts";

const run = promisify(execFile);
const plugins = join(root, "packages/reprise/plugins");
const manifest = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));
/** A file with a mistake in line 4. */
const broken = "name: w\nsteps:\n  a: { shell: exit 0 }\n  b: { needs: nothing, shell: exit 0 }\n";

/** What differs between the two programs. */
interface Program {
  start(): Promise<RealSubject>;
  /** Arguments that install the plugin. */
  readonly install: readonly (readonly string[])[];
  /** Arguments of a turn in the program itself; null begins a conversation. */
  turn(prompt: string, id: string | null): readonly string[];
  /** How its model calls a tool of our server. */
  tool(name: string): string;
  /** How a user calls a skill of the plugin. */
  skill(name: string): string;
  /** What the skill tells its model to call. */
  adopts(request: ModelRequest): object;
}

const programs: Readonly<Record<"claude" | "codex", Program>> = {
  claude: {
    async start() {
      const subject = await startClaude();
      subject.env.CLAUDE_CONFIG_DIR = subject.agentHome;
      Object.assign(subject.env, claudeWithPlugins);
      return subject;
    },
    install: [
      ["plugin", "validate", plugins, "--strict"],
      ["plugin", "validate", join(plugins, "reprise"), "--strict"],
      ["plugin", "marketplace", "add", plugins],
      ["plugin", "install", "reprise@reprise"],
    ],
    turn: (prompt, id) => ["--print", ...(id === null ? [] : ["--resume", id]), prompt],
    tool: (name) => `mcp__plugin_reprise_reprise__${name}`,
    skill: (name) => `/reprise:${name}`,
    adopts: (request) => ({ provider: "claude", id: idInSkill(request) }),
  },
  codex: {
    async start() {
      const subject = await startCodex();
      const file = join(subject.agentHome, "config.toml");
      const config = readFileSync(file, "utf8");
      writeFileSync(file, config.replace("plugins = false", "plugins = true"));
      subject.env.CODEX_HOME = subject.agentHome;
      return subject;
    },
    install: [
      ["plugin", "marketplace", "add", plugins],
      ["plugin", "add", "reprise@reprise"],
    ],
    turn: (prompt, id) => {
      const resume = id === null ? [] : ["resume", id];
      return ["exec", "--skip-git-repo-check", ...resume, prompt];
    },
    tool: (name) => `mcp__reprise__${name}`,
    skill: (name) => `$reprise:${name}`,
    adopts: () => ({ provider: "codex" }),
  },
};

/** The program with the plugin, and `reprise` on its path, with the home of the subject. */
async function installed({ start, install, turn }: Program) {
  const subject = await start();
  const bin = subject.newFolder("bin");
  const reprise = `#!/bin/sh\nexec "${process.execPath}" "${root}bin/reprise.cjs" "$@"\n`;
  writeFileSync(join(bin, "reprise"), reprise, { mode: 0o755 });
  Object.assign(subject.env, {
    PATH: `${bin}${delimiter}${subject.env.PATH}`,
    REPRISE_HOME: subject.home,
  });
  const at = { cwd: subject.folder, env: subject.env };
  const program = async (args: readonly string[]) => {
    const running = run(subject.agentSettings().binary!, args, at);
    running.child.stdin?.end();
    return (await running).stdout;
  };
  for (const args of install) await program(args);
  return {
    subject,
    [Symbol.asyncDispose]: () => subject[Symbol.asyncDispose](),
    /** What the model was sent in this turn, request by request. */
    async type(prompt: string, id: string | null = null, answers: readonly Scripted[] = []) {
      const seen: Seen[] = [];
      const answering = answers.map((answer) => (request: ModelRequest) => {
        const { body, messages } = request;
        const result = messages.findLast(({ role }) => role === "tool")?.text ?? "";
        seen.push({ wire: JSON.stringify(body), result });
        return typeof answer === "function" ? answer(request) : answer;
      });
      if (answering.length > 0) subject.answer(answering);
      await program(turn(prompt, id));
      return seen;
    },
  };
}

type Scripted = Answer | ((request: ModelRequest) => Answer);

interface Seen {
  readonly wire: string;
  /** What the tool returned that the model called before. */
  readonly result: string;
}

const said = { text: "I see." };

for (const name of ["claude", "codex"] as const) {
  const program = programs[name];
  onAgent(name, "plugins", () => {
    test(`plugins/${name}: the model checks a workflow with our tool, and reads the finding`, async () => {
      await using it = await installed(program);
      const call = { tool: program.tool("validate_workflow"), input: { source: broken } };
      const [asked, read] = await it.type(program.skill("workflows"), null, [call, said]);
      expect(asked!.wire).toContain("# Workflows of Reprise");
      const [, report] = /(\{.*\})/s.exec(read!.result) ?? [];
      expect(JSON.parse(report ?? read!.result)).toMatchObject({
        ok: false,
        findings: [{ code: "unknown-name", position: { line: 4 } }],
      });
    });

    test(`plugins/${name}: adopt ends with a key that reprise send continues with the same provider session`, async () => {
      await using it = await installed(program);
      const { subject } = it;
      await it.type(remember);
      const { session } = subject.witness.calls().at(-1)!;
      const adopt = (request: ModelRequest) => ({
        tool: program.tool("adopt_session"),
        input: { key: "fix-42", ...program.adopts(request) },
      });
      const typed = `${program.skill("adopt")} fix-42`;
      const [, read] = await it.type(typed, session, [adopt, said]);
      expect(read!.result).toMatch(/"key":\s*"fix-42".*"next":\s*"resume"/s);

      await run("reprise", ["send", "fix-42", recall], { cwd: subject.folder, env: subject.env });
      const call = subject.witness.calls().at(-1)!;
      expect(call.session).toBe(session);
      expect(call.prompt).toContain(recall);
      expect(call.prompt).not.toContain(secret);
      const turn = await subject.reprise.turns.why("fix-42");
      expect(turn).toMatchObject({ decision: { outcome: "resume" }, output: secret });
      const [view] = await subject.reprise.sessions.list({ q: "fix-42" });
      expect(view).toMatchObject({ handle: session, agent: "coder", turns: 1 });
    });
  });
}

onAgent("codex", "plugins", () =>
  test("plugins/codex: codex exec starts a workflow only if its configuration says so, as docs/plugins.md shows", async () => {
    await using it = await installed(programs.codex);
    const source = "name: w\nsteps:\n  a: { shell: echo started }\n";
    const call = { tool: programs.codex.tool("run_workflow"), input: { source } };
    const [, refused] = await it.type("run it", null, [call, said]);
    expect(refused!.result).toContain("requires approval");
    expect(await it.subject.reprise.runs.list()).toEqual([]);

    const page = readFileSync(join(root, "docs/plugins.md"), "utf8");
    const [, shown = ""] = /^```toml\n(.*?)^```$/ms.exec(page) ?? [];
    appendFileSync(join(it.subject.env.CODEX_HOME!, "config.toml"), `\n${shown}`);
    await it.type("run it", null, [call, said]);
    expect(await it.subject.reprise.runs.list()).toMatchObject([{ workflow: "w", status: "done" }]);
  }),
);

test("plugins: they have the version of the package", () => {
  const { version } = manifest("packages/reprise/package.json");
  for (const path of ["reprise/.claude-plugin/plugin.json", "openclaw/package.json"])
    expect(manifest(`packages/reprise/plugins/${path}`).version).toBe(version);
});
