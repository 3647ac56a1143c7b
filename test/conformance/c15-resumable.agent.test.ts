/** C15 with workflows/test-resumable-{claude-code,codex}.yaml on the real programs. */

import type { Answer } from "../models/model.ts";
import { onPath, type Resumable, resumable } from "./c15-resumable.cases.ts";
import { startClaude } from "./claude-subject.ts";
import { startCodex } from "./codex-subject.ts";
import { onAgent, type RealSubject } from "./real-subject.ts";

interface Kind {
  readonly runner: string;
  /** The variable that says where its home is. */
  readonly home: string;
  start(): Promise<RealSubject & { readonly agentHome: string }>;
  /** How its model gives an answer that must fit a schema. */
  says(answer: object): Answer;
}

const kinds: Readonly<Record<"claude" | "codex", Kind>> = {
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
};

for (const agent of ["claude", "codex"] as const)
  onAgent(agent, "C15", () => {
    const { runner, home, start, says } = kinds[agent];
    resumable(agent, runner, async (): Promise<Resumable> => {
      const subject = await start();
      await subject.close();
      const { binary } = subject.agentSettings();
      onPath(subject, { name: agent, program: binary!, env: { [home]: subject.agentHome } });
      return {
        subject,
        witness: subject.witness,
        // The reviewer's launch follows the coder's in each iteration.
        review: (verdicts) =>
          verdicts.forEach((approved, index) => {
            const feedback = approved ? "It is good." : "Do it once more.";
            subject.answer([says({ approved, feedback })], 2 * index + 1);
          }),
        [Symbol.asyncDispose]: () => subject[Symbol.asyncDispose](),
      };
    });
  });
