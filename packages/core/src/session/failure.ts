/** Why an agent did not answer, the same for every provider. */

/**
 * `missing`: the session is refused or gone. `in-use`: the new id is taken. `writer`: another process
 * writes this session. `transient`: may pass. `quota`: a limit, until `resetAt`. `poisoned`: the
 * history itself is invalid. `unknown`: anything else.
 */
export interface Failure {
  readonly kind: "missing" | "in-use" | "writer" | "transient" | "quota" | "poisoned" | "unknown";
  readonly message: string;
  readonly resetAt?: number;
}
