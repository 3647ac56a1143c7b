/**
 * The errors of Reprise: each has a code, one sentence that says what happened and one that says what to do.
 * The class is the policy: it determines the exit code, and whether trying again makes sense.
 */

export interface ErrorView {
  code: string;
  message: string;
  hint: string;
  /** When a used-up limit is reset, in milliseconds since 1970. */
  resetAt?: number | undefined;
  /** Who cancelled the turn, where it is known. */
  by?: string | undefined;
}

export class RepriseError extends Error {
  /** Exit code of the command line (DESIGN: 1 failed, 2 usage, 4 not found, 5 denied, 6 time-out). */
  readonly exitCode: number = 1;
  readonly code: string;
  /**
   * What to do, in the words of the library: it may name a call, such as `reprise.sessions.revive("fix-42")`, or an
   * option of the call that failed. The command line shows the same as a command. Programs use the class and `code`.
   */
  readonly hint: string;

  constructor(code: string, message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.hint = hint;
  }

  view(): ErrorView {
    return { code: this.code, message: this.message, hint: this.hint };
  }
}

/** The input is not valid; nothing was changed. */
export class UsageError extends RepriseError {
  override readonly exitCode = 2;
}

/** The agent, session, turn, run or other thing that was named does not exist. */
export class NotFoundError extends RepriseError {
  override readonly exitCode = 4;
}

/** The operating system or a policy does not allow the call. */
export class DeniedError extends RepriseError {
  override readonly exitCode = 5;
}

/** The work did not end in time. */
export class TimedOutError extends RepriseError {
  override readonly exitCode = 6;
}

/** The session or run is in use, and the caller chose not to wait. */
export class BusyError extends RepriseError {}

/** Reprise decided not to start the agent. */
export class RefusedError extends RepriseError {}

/** The call failed, and would fail again. */
export class TerminalError extends RepriseError {}

/** The call failed for a temporary reason; the session is kept, and the call may succeed later. */
export class RetryableError extends RepriseError {}

/** The account's limit is used up until `resetAt` (milliseconds since 1970; null when the provider does not say). */
export class QuotaError extends RetryableError {
  readonly resetAt: number | null;
  constructor(code: string, message: string, hint: string, resetAt: number | null) {
    super(code, message, hint);
    this.resetAt = resetAt;
  }
}

/** The provider no longer has the history; `evidence` is its message, or what was found. */
export class SessionLostError extends RepriseError {
  readonly evidence: string;
  constructor(code: string, message: string, hint: string, evidence: string) {
    super(code, message, hint);
    this.evidence = evidence;
  }
}

/** The provider's files could not be read, so their content is unknown. */
export class UnreadError extends RepriseError {}

/** Another process took over this turn or run; this process can no longer write to it. */
export class FencedError extends RepriseError {
  constructor(id: string, what: "Turn" | "Run" = "Turn") {
    super(
      "fenced",
      `${what} ${id} was taken over by another process.`,
      "Nothing to do: the other process continues it.",
    );
  }
}

/** The database cannot be used: it is newer, busy, corrupt, full or not writable. */
export class StoreError extends RepriseError {
  /** A database that may not be written is a denial. */
  override readonly exitCode = this.code === "store-not-writable" ? 5 : 1;
}

export function errorView(error: unknown): ErrorView {
  if (error instanceof RepriseError) return error.view();
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message, hint: "This is a bug in Reprise. Please report it." };
}
