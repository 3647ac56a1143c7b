/** Why an agent did not answer, the same for every provider. */

/**
 * `missing`: the session is refused or gone. `in-use`: the new id is taken. `writer`: another process
 * writes this session. `transient`: may pass. `quota`: a limit, until `resetAt`. `login`: no user is
 * logged in, or the credentials are not accepted. `request`: the service does not take this request, and the
 * session is not to blame: a model that does not exist, a page instead of an API, a refusal for safety.
 * `poisoned`: the history itself is invalid. `unknown`: anything else.
 */
export const failureKinds = [
  "missing",
  "in-use",
  "writer",
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
  /** Of a transient one: the service turned the request away for its rate, before the turn began. */
  readonly throttled?: boolean;
  /** What poisons is its length alone: it does not fit into the model's context. */
  readonly overflow?: boolean;
  /** The agent has tried in this launch to compact what is too long, and could not. */
  readonly exhausted?: boolean;
}
