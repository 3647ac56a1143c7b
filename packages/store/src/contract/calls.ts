/** Calls that a client may repeat without executing them twice. */

/** Identifies a repeatable call: the id of the client's token and its `Idempotency-Key`. */
export interface CallId {
  readonly token: string;
  readonly key: string;
}

/** A call that may be repeated without being executed twice. */
export interface Call extends CallId {
  /** Digest of the request. */
  readonly fingerprint: string;
  /** Id of the turn or run that it started, once known. */
  readonly subject: string | null;
  /** Null while it is running. */
  readonly answer: { readonly status: number; readonly body: string } | null;
  readonly at: number;
}

export interface CallStore {
  /**
   * Writes a call, unless it exists: then `begun` is false and `call` is the existing one. Also removes calls
   * that began before `forgetBefore`.
   */
  beginCall(
    begin: Omit<Call, "answer"> & { forgetBefore: number },
  ): Promise<{ begun: boolean; call: Call }>;
  /** Records the turn or run that a call started. */
  acceptCall(accept: CallId & { subject: string }): Promise<void>;
  /** Stores the answer, once; purging `session` removes it. */
  settleCall(
    settle: CallId & { status: number; body: string; session: string | null },
  ): Promise<void>;
  /** Removes a call without an answer, so that it can be made again. */
  dropCall(call: CallId): Promise<void>;
}
