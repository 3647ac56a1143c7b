/** A real agent where a shell would find it: for workflow files that name no program and no home. */

import { mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Answer } from "@reprise/providers/models/model";
import type { AgentName } from "../agents/agents.ts";
import { startClaude } from "./claude-subject.ts";
import { startCodex } from "./codex-subject.ts";
import { startGemini } from "./gemini-subject.ts";
import { startOpencode } from "./opencode-subject.ts";
import { startPi } from "./pi-subject.ts";
import type { RealSubject } from "./real-subject.ts";

interface Kind {
  /** What a workflow calls it. */
  readonly runner: string;
  /** The variable that says where its home is. */
  readonly home: string;
  start(): Promise<RealSubject & { readonly agentHome: string }>;
  /** How its model gives an answer that must fit a schema. */
  says(answer: object): Answer;
}

export const kinds: Readonly<Record<AgentName, Kind>> = {
  claude: {
    runner: "claude-code",
    home: "CLAUDE_CONFIG_DIR",
    start: startClaude,
    says: (input) => ({ tool: "StructuredOutput", input }),
  },
  codex: {
    runner: "codex",
    home: "CODEX_HOME",
    start: startCodex,
    says: (answer) => ({ text: JSON.stringify(answer) }),
  },
  gemini: {
    runner: "gemini-cli",
    home: "GEMINI_CLI_HOME",
    start: startGemini,
    says: (answer) => ({ text: JSON.stringify(answer) }),
  },
  opencode: {
    runner: "opencode",
    home: "HOME",
    start: startOpencode,
    says: (answer) => ({ text: JSON.stringify(answer) }),
  },
  pi: {
    runner: "pi",
    home: "PI_CODING_AGENT_DIR",
    start: startPi,
    says: (answer) => ({ text: JSON.stringify(answer) }),
  },
};

export async function startOnPath(agent: keyof typeof kinds): Promise<RealSubject> {
  const { home, start } = kinds[agent];
  const subject = await start();
  await subject.close();
  const bin = join(subject.root, "bin");
  mkdirSync(bin);
  symlinkSync(subject.agentSettings().binary!, join(bin, agent));
  Object.assign(subject.env, {
    PATH: `${bin}${delimiter}${subject.env.PATH}`,
    [home]: subject.agentHome,
  });
  return subject;
}

/** What a reviewer of two properties says in the iterations that come next; it is launched after its author. */
export function review(
  subject: RealSubject,
  agent: keyof typeof kinds,
  verdicts: readonly boolean[],
): void {
  verdicts.forEach((approved, index) => {
    const feedback = approved ? "It is good." : "Do it once more.";
    subject.answer([kinds[agent].says({ approved, feedback })], 2 * index + 1);
  });
}
