/** The prompt of one attempt: the decision says what goes into it, the transcript is read only if it does. */

import { sinceOpening } from "@reprise/core/conversation/slice";
import { type Composition, compose } from "@reprise/core/prompt/compose";
import type { TurnRequest } from "@reprise/core/session/turn";
import type { Engine } from "../engine.ts";
import type { Situation } from "./observe.ts";

export async function composePrompt(
  engine: Engine,
  request: TurnRequest,
  { decision, subject, agent, provider }: Situation,
): Promise<Composition | null> {
  if (decision.outcome === "refuse") return null;
  const quotes =
    decision.outcome === "reseed" || (decision.outcome === "resume" && decision.catchUp > 0);
  return compose({
    decision,
    agent: agent.name,
    conversation:
      quotes && subject.session
        ? sinceOpening(await engine.store.readTranscript(subject.session.conversation))
        : [],
    instructions: agent.settings.instructions ?? null,
    keepsInstructions: provider.traits.keepsInstructions,
    turnInstructions: request.instructions,
    prompt: request.prompt,
    maxBytes: provider.traits.maxPrompt,
  });
}
