import type { Answer } from "../models/model.ts";
import { type Actor, accessCases } from "./c26-access.cases.ts";
import { startClaude } from "./claude-subject.ts";
import { startCodex } from "./codex-subject.ts";
import { onAgent, type RealSubject } from "./real-subject.ts";
import type { Subject } from "./subject.ts";

/** In the next launch the model calls one tool and then says that it is done. */
function calls(subject: Subject, answer: Answer): string {
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

onAgent("claude", "C26", () => accessCases("claude", startClaude, claude));
onAgent("codex", "C26", () => accessCases("codex", startCodex, codex));
