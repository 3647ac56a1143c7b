/** One message of a conversation: a prompt or an answer that Reprise recorded. */

export interface Message {
  readonly id: string;
  readonly role: "user" | "assistant";
  /** The agent that was asked, or that answered. */
  readonly agent: string;
  readonly provider: string;
  readonly turn: string | null;
  readonly text: string;
  /** Digest of role and text. */
  readonly digest: string;
  /** `native`: typed in the provider's own program and imported. `unconfirmed`: of a turn that failed after a tool ran, or of a first turn that was cut off. */
  readonly origin: "turn" | "native" | "unconfirmed";
  /** A blank turn begins here: nothing before it is part of a slice or a hand-off note. */
  readonly opening: boolean;
  /** For an unconfirmed prompt: the tools that ran before its turn was cut off, in order. */
  readonly tools?: readonly string[] | undefined;
  /** Set when a person rewound the conversation to before this message in the provider's own program: the turn that found it. */
  readonly takenBack?: string;
  readonly at: number;
}

/** A message without its text: enough for every decision. */
export type MessageOutline = Omit<Message, "text" | "tools">;
