/** Composes the prompt of one attempt. The transcript is read only if the decision quotes it. */

import { sinceOpening } from "@reprise/core/conversation/slice";
import { type Composition, compose } from "@reprise/core/prompt/compose";
import { schemaInstructions } from "@reprise/core/prompt/structured-output";
import type { Turn, TurnRequest } from "@reprise/core/session/turn";
import { can } from "@reprise/providers/define-provider";
import type { Provider } from "@reprise/providers/provider";
import type { Engine } from "../engine.ts";
import { answersFor, promptOf } from "./answers.ts";
import type { TurnContext } from "./observe.ts";

export async function composePrompt(
  engine: Engine,
  turn: Turn,
  { decision, facts, agent, provider }: TurnContext,
): Promise<Pick<Composition, "text" | "notices"> | null> {
  if (decision.outcome === "refuse") return null;
  if (answersFor(turn, decision)) return { text: "", notices: [] };
  const quotes =
    decision.outcome === "reseed" || (decision.outcome === "resume" && decision.catchUp > 0);
  const { text, notices } = compose({
    decision,
    agent: agent.name,
    conversation:
      quotes && facts.session
        ? sinceOpening(await engine.store.readTranscript(facts.session.conversation))
        : [],
    instructions: agent.settings.instructions ?? null,
    keepsInstructions: can(provider, "keep-instructions"),
    turnInstructions: turnInstructions(turn.request, provider),
    prompt: promptOf(turn),
    askedLast: facts.askedLast,
    finishes: turn.request.finishes,
    maxBytes: provider.manifest.maxPrompt,
  });
  return { text: provider.escape?.(text) ?? text, notices };
}

/** This turn's own instructions, with the answer's schema if the agent's program does not take one. */
function turnInstructions(
  { instructions, outputSchema }: TurnRequest,
  provider: Provider,
): string | null {
  if (outputSchema === null || provider.takesSchema?.(outputSchema)) return instructions;
  return [instructions, schemaInstructions(outputSchema)].filter(Boolean).join("\n\n");
}
