/** The requests and answers of a test's model, whatever the protocol. */

export interface SeenMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
}

/** One request that an agent made. */
export interface ModelRequest {
  /** From 1, in the order of arrival. */
  readonly number: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it arrived. */
  // biome-ignore lint/suspicious/noExplicitAny: a foreign body, looked into by tests
  readonly body: any;
  /** Its conversation, without what the agent's program adds on its own (environment, rules). */
  readonly messages: readonly SeenMessage[];
  /** What the simulated prompt cache makes of it. */
  readonly usage: InputUsage;
  /** Releases a held answer. */
  release(): void;
  /** Resolves when the answer was sent, or the agent hung up. */
  readonly ended: Promise<"answered" | "hung-up">;
}

/**
 * Errors that every model service has; the protocol knows their status and body.
 * `overloaded` passes, `quota` does not before `resetsAt`, `invalid-history` and `overflow` never do.
 */
export type ModelRefusal =
  | "bad-request"
  | "invalid-history"
  | "overflow"
  | "unauthorized"
  | "rate-limit"
  | "quota"
  | "server-error"
  | "overloaded";

export interface ModelToolCall {
  readonly tool: string;
  readonly input: unknown;
}

export type Answer = (
  | { readonly text: string }
  /** Runs a command with the agent's own shell tool. */
  | { readonly shell: string }
  | ModelToolCall
  /** Several calls in one message. */
  | { readonly calls: readonly ModelToolCall[] }
  | { readonly refuse: ModelRefusal; readonly message?: string; readonly resetsAt?: number }
  /** Any other response, sent as it is. */
  | { readonly status: number; readonly body: unknown }
  /** Begins to stream this text, then cuts the connection. */
  | { readonly dropped: string }
  /** Streams this text again and again until the agent hangs up. */
  | { readonly endless: string }
) & {
  /** Begins the stream, and continues only when the request is released. */
  readonly held?: boolean;
};

/** Answers a request; undefined leaves it to the remembering model. */
export type Model = (request: ModelRequest) => Answer | undefined;

/** Tokens of a request; `cached` is the part of `input` with which an earlier request also began. */
export interface InputUsage {
  readonly input: number;
  readonly cached: number;
}

export function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}
