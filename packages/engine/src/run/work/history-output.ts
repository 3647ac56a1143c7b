/** The output `conversationHistory` of an agent node: its conversation as messages, from which another session can begin. */

import { sinceOpening } from "@reprise/core/conversation/slice";
import type { AgentWork } from "@reprise/workflow/run/command";
import type { NamedValues } from "@reprise/workflow/run/event";
import type { Engine } from "../../engine.ts";

const name = "conversationHistory";

/**
 * Only for a provider whose manifest has this output. It is null unless something in the workflow reads it: the event of
 * every execution in a loop would contain the whole conversation.
 */
export async function historyOutput(
  engine: Pick<Engine, "store" | "provider">,
  { node, session: { key }, reads }: Pick<AgentWork, "node" | "session" | "reads">,
): Promise<NamedValues> {
  if (!node.outputs.some((output) => output.name === name)) return {};
  const session = await engine.store.readSession(key);
  if (!session || !engine.provider(session.provider).manifest.outputs?.includes(name)) return {};
  if (!reads.includes(name)) return { [name]: null };
  const messages = sinceOpening(await engine.store.readTranscript(session.conversation));
  return { [name]: { messages: messages.map(({ role, text }) => ({ role, content: text })) } };
}
