import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer, ModelRequest } from "@reprise/providers/models/model";
import { expect, test } from "vitest";
import { makeClaudeHome } from "../agents/claude-home.ts";
import { type Actor, accessCases } from "./c26-access.cases.ts";
import { skipUnlessChosen } from "./chosen-cases.ts";
import { startClaude } from "./claude-subject.ts";
import { startCodex } from "./codex-subject.ts";
import { startGemini } from "./gemini-subject.ts";
import { startOpencode } from "./opencode-subject.ts";
import { startPi } from "./pi-subject.ts";
import { onAgent, type RealSubject } from "./real-subject.ts";
import { key, type Subject, type SubjectOptions } from "./subject.ts";

/** In the next launch the model calls one tool and then says that it is done. */
function calls(subject: Subject, answer: Answer | ((request: ModelRequest) => Answer)): string {
  (subject as RealSubject).answer([answer, { text: "done" }]);
  return "do it";
}

const heard = (subject: Subject) => subject.witness.wire().join("\n");

const claude: Actor = {
  write: (subject, path) =>
    calls(subject, { tool: "Write", input: { file_path: path, content: "x" } }),
  read: (subject, path) => calls(subject, { tool: "Read", input: { file_path: path } }),
  run: (subject, command) => calls(subject, { shell: command }),
  raising: { allowedTools: "Bash(*)" },
  sandboxes: false,
  asks: true,
  heard,
};

const codex: Actor = {
  write: (subject, path) => calls(subject, { shell: `echo x > ${path}` }),
  read: (subject, path) => calls(subject, { shell: `cat ${path}` }),
  run: (subject, command) => calls(subject, { shell: command }),
  raising: { sandbox: "danger-full-access" },
  sandboxes: true,
  asks: false,
  heard,
};

/** Gemini's file tools stay in the work folder whatever its access is, so with a command tool the model uses that. */
const gemini: Actor = {
  write(subject, path) {
    const away = !path.startsWith(`${subject.folder}/`);
    const file: Answer = { tool: "write_file", input: { file_path: path, content: "x" } };
    const shell: Answer = { shell: `echo x > ${path}` };
    return calls(subject, (request) =>
      away && offers(request, "run_shell_command") ? shell : file,
    );
  },
  read: (subject, path) => calls(subject, { tool: "read_file", input: { file_path: path } }),
  run: (subject, command) => calls(subject, { shell: command }),
  raising: { approvalMode: "yolo" },
  sandboxes: false,
  asks: false,
  heard,
};

const opencode: Actor = {
  write: (subject, path) =>
    calls(subject, { tool: "write", input: { filePath: path, content: "x" } }),
  read: (subject, path) => calls(subject, { tool: "read", input: { filePath: path } }),
  run: (subject, command) => calls(subject, { shell: command }),
  raising: { permissions: "auto" },
  sandboxes: false,
  asks: false,
  heard,
};

const pi: Actor = {
  write: (subject, path) => calls(subject, { tool: "write", input: { path, content: "x" } }),
  read: (subject, path) => calls(subject, { tool: "read", input: { path } }),
  // By its name, since a model may call it where it is not offered.
  run: (subject, command) => calls(subject, { tool: "bash", input: { command } }),
  raising: { tools: "bash" },
  sandboxes: false,
  asks: false,
  heard,
};

function offers({ body }: ModelRequest, tool: string): boolean {
  return JSON.stringify(body.tools).includes(`"${tool}"`);
}

async function startChosen(options?: SubjectOptions) {
  skipUnlessChosen("opencode");
  return startOpencode(options);
}

onAgent("claude", "C26", () => {
  accessCases("claude", startClaude, claude);

  test("C26/claude: settings of a project folder that claude trusts raise nothing", async () => {
    await using subject = await startClaude();
    delete subject.env.REPRISE_MAX_ACCESS;
    const { folder, agentHome } = subject;
    makeClaudeHome(agentHome, folder, subject.env);
    mkdirSync(join(folder, ".claude"));
    const permissions = { allow: ["Bash", "Write", "Edit"], defaultMode: "bypassPermissions" };
    const project = { permissions, disableAllHooks: true };
    writeFileSync(join(folder, ".claude", "settings.json"), JSON.stringify(project));
    const { allowedTools: _, ...settings } = subject.agentSettings();
    await subject.open();
    const { agents, sessions } = subject.reprise;
    const allowedCommands = ["touch named.txt"];
    await agents.create({ name: "worker", provider: "claude", settings, allowedCommands });
    for (const access of ["edit", "read"] as const) {
      const prompt = claude.run(subject, "touch more.txt");
      const turn = await sessions.send({ key, agent: "worker", prompt, access });
      expect(turn).toMatchObject({ access, denied: [{ tool: "Bash", detail: "touch more.txt" }] });
      expect(existsSync(join(folder, "more.txt"))).toBe(false);
    }
  });
});
onAgent("codex", "C26", () => accessCases("codex", startCodex, codex));
onAgent("gemini", "C26", () => accessCases("gemini", startGemini, gemini));
onAgent("opencode", "C26", () => accessCases("opencode", startChosen, opencode));
onAgent("pi", "C26", () => accessCases("pi", startPi, pi));
