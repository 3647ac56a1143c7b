/** Why an agent did not answer, the same for every provider. */

/**
 * `missing`: the session is refused or gone. `in-use`: the new id is taken. `writer`: another process
 * writes this session. `unsent`: the agent gave up before it read its prompt. `transient`: may pass.
 * `quota`: a limit, until `resetAt`. `login`: no user is logged in, or the credentials are rejected.
 * `request`: the service rejects this request for a reason outside the session: an unknown model, a web
 * page instead of an API, a safety refusal. `poisoned`: the history itself is invalid. `unknown`: anything
 * else.
 */
export const failureKinds = [
  "missing",
  "in-use",
  "writer",
  "unsent",
  "transient",
  "quota",
  "login",
  "request",
  "poisoned",
  "unknown",
] as const;

export interface Failure {
  readonly kind: (typeof failureKinds)[number];
  readonly message: string;
  /** What to do about it, where the provider knows. */
  readonly hint?: string;
  readonly resetAt?: number;
  /** For `transient`: the service rejected the request because of its rate limit, before the turn began. */
  readonly throttled?: boolean;
  /** For `poisoned`: the history is valid but too long for the model's context. */
  readonly overflow?: boolean;
  /** The agent tried to compact the history in this launch and failed. */
  readonly exhausted?: boolean;
}
