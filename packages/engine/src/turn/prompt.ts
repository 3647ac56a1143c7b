/** The prompt of one attempt: the decision says what goes into it, the transcript is read only if it does. */

import { sinceOpening } from "@reprise/core/conversation/slice";
import { type Composition, compose } from "@reprise/core/prompt/compose";
import type { Turn } from "@reprise/core/session/turn";
import type { Engine } from "../engine.ts";
import { answersFor, promptOf } from "./answers.ts";
import type { Situation } from "./observe.ts";

export async function composePrompt(
  engine: Engine,
  turn: Turn,
  { decision, subject, agent, provider }: Situation,
): Promise<Pick<Composition, "text" | "notices"> | null> {
  if (decision.outcome === "refuse") return null;
  if (answersFor(turn, decision)) return { text: "", notices: [] };
  const quotes =
    decision.outcome === "reseed" || (decision.outcome === "resume" && decision.catchUp > 0);
  const { text, notices } = compose({
    decision,
    agent: agent.name,
    conversation:
      quotes && subject.session
        ? sinceOpening(await engine.store.readTranscript(subject.session.conversation))
        : [],
    instructions: agent.settings.instructions ?? null,
    keepsInstructions: provider.traits.keepsInstructions,
    turnInstructions: turn.request.instructions,
    prompt: promptOf(turn),
    maxBytes: provider.traits.maxPrompt,
  });
  return { text: provider.escape?.(text) ?? text, notices };
}
