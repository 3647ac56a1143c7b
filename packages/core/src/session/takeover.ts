/** An agent takes over a conversation from another one: how people, the model and programs see from which. */

/** An agent of a provider, as a message records it. */
export interface Speaker {
  readonly agent: string;
  /** Null if it is not known. */
  readonly provider: string | null;
}

/** The conversation's last answer came from another agent, or from this one with another provider. */
export interface Takeover {
  readonly by: Speaker;
  readonly from: Speaker;
}

/** `codex takes over from claude`, `reviewer (codex) takes over from coder (claude)`. */
export function takeoverText({ by, from }: Takeover): string {
  return `${speakerName(by)} takes over from ${speakerName(from)}`;
}

/** The provider only where it is not the agent's name. */
export function speakerName({ agent, provider }: Speaker): string {
  return provider === null || provider === agent ? agent : `${agent} (${provider})`;
}
