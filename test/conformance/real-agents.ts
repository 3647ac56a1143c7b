/** The real agents that conformance cases run on, each beside the other. */

import type { AgentName } from "../agents/agents.ts";
import { skipUnlessChosen } from "./chosen-cases.ts";
import { startClaude } from "./claude-subject.ts";
import { startCodex } from "./codex-subject.ts";
import { startGemini } from "./gemini-subject.ts";
import { startOpencode } from "./opencode-subject.ts";
import { startPi } from "./pi-subject.ts";
import { onAgent, type RealSubject } from "./real-subject.ts";
import type { SubjectOptions } from "./subject.ts";

type StartAgent = (options?: SubjectOptions) => Promise<RealSubject>;

const agents: Readonly<Record<AgentName, StartAgent>> = {
  claude: startClaude,
  codex: startCodex,
  async gemini(options) {
    skipUnlessChosen("gemini");
    return startGemini(options);
  },
  async opencode(options) {
    skipUnlessChosen("opencode");
    return startOpencode(options);
  },
  async pi(options) {
    skipUnlessChosen("pi");
    return startPi(options);
  },
};

/** Registers cases for every real agent that is not left out. */
export function onRealAgents(
  number: string,
  cases: (provider: AgentName, start: StartAgent) => void,
): void {
  for (const [agent, start] of Object.entries(agents) as [AgentName, StartAgent][])
    onAgent(agent, number, () => cases(agent, start));
}
