/** C15 with workflows/test-resumable-{claude-code,codex,gemini-cli,opencode}.yaml on the real programs. */

import { resumable } from "./c15-resumable.cases.ts";
import { kinds, review, startOnPath } from "./on-path.ts";
import { onAgent } from "./real-subject.ts";

for (const agent of ["claude", "codex", "gemini", "opencode"] as const)
  onAgent(agent, "C15", () => {
    resumable(agent, kinds[agent].runner, async () => {
      const subject = await startOnPath(agent);
      return {
        subject,
        witness: subject.witness,
        review: (verdicts) => review(subject, agent, verdicts),
        [Symbol.asyncDispose]: () => subject[Symbol.asyncDispose](),
      };
    });
  });
