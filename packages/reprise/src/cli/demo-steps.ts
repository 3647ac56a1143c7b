/** The steps of the demo: what is sent, and what must happen. */

import type { Send } from "@reprise/core/api/reprise";
import type { GuardName, Outcome } from "@reprise/core/session/decision";

export interface DemoStep {
  /** One sentence about what the step shows. */
  readonly says: string;
  readonly prompt: string;
  readonly turn: Pick<Send, "agent" | "continuity" | "folder">;
  readonly outcome: Outcome;
  /** The guards that decide this step. */
  readonly guards: readonly GuardName[];
  /** Whether the answer contains what the agent was asked to remember. */
  readonly remembers: boolean;
  /** Before the turn, the provider's session file is emptied. */
  readonly damages?: true;
  /** A notice that must be given. */
  readonly notice?: string;
}

export const secret = "APPLE-739";
const question = "what did I ask you to remember?";

/** Only the first turn names the agent; the others continue with it. */
export function demoSteps(agent: string, otherFolder: string): DemoStep[] {
  return [
    {
      says: "A new key: there is nothing to continue, so the agent starts blank.",
      prompt: `remember ${secret}`,
      turn: { agent },
      outcome: "blank",
      guards: ["prior"],
      remembers: true,
    },
    {
      says: "The next turn is a new process; every guard passes, so the agent's own session continues and only the new prompt is sent.",
      prompt: question,
      turn: {},
      outcome: "resume",
      guards: ["prior", "history", "intact"],
      remembers: true,
    },
    {
      says: "The agent's session file is emptied, which the agent itself would not report. Reprise notices it and restores the file from the checkpoint, so nothing is forgotten.",
      prompt: question,
      turn: {},
      outcome: "resume",
      guards: ["intact"],
      remembers: true,
      damages: true,
      notice: "restored",
    },
    {
      says: "You can ask for a new provider session that starts from the transcript; it remembers too.",
      prompt: question,
      turn: { continuity: "reseed" },
      outcome: "reseed",
      guards: ["policy"],
      remembers: true,
    },
    {
      says: "In another folder the old provider session must not continue, so a guard fails and a new one starts from the transcript.",
      prompt: question,
      turn: { folder: otherFolder },
      outcome: "reseed",
      guards: ["folder"],
      remembers: true,
    },
    {
      says: "Or you can start without any memory: blank, because you asked for it.",
      prompt: question,
      turn: { continuity: "blank", folder: otherFolder },
      outcome: "blank",
      guards: ["policy"],
      remembers: false,
    },
  ];
}
