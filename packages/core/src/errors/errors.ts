/**
 * Every error that a person may meet: a code, one sentence that says what happened, one that says
 * what to do. The class is the policy: it fixes the exit code, and whether trying again makes sense.
 */

export interface ErrorView {
  code: string;
  message: string;
  hint: string;
  /** Of a limit: when it is reset, in milliseconds since 1970. */
  resetAt?: number | undefined;
  /** Of a cancelled turn: who cancelled it, where that is known. */
  by?: string | undefined;
}

export class RepriseError extends Error {
  /** Exit code of the command line (DESIGN: 1 failed, 2 usage, 4 not found, 5 denied, 6 time-out). */
  readonly exitCode: number = 1;
  readonly code: string;
  /** One sentence that says what to do. */
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

/** The caller's input can not be taken; nothing was changed. */
export class UsageError extends RepriseError {
  override readonly exitCode = 2;
}

/** What was named does not exist. */
export class NotFoundError extends RepriseError {
  override readonly exitCode = 4;
}

/** The operating system or a policy does not allow it. */
export class DeniedError extends RepriseError {
  override readonly exitCode = 5;
}

/** It did not end in time. */
export class TimedOutError extends RepriseError {
  override readonly exitCode = 6;
}

/** The session, or the run, is in use, and the caller chose not to wait. */
export class BusyError extends RepriseError {}

/** The decision was not to launch anything. */
export class RefusedError extends RepriseError {}

/** It failed, and the same call would fail again. */
export class TerminalError extends RepriseError {}

/** It failed for a passing reason; the session is kept, and the same call may succeed later. */
export class RetryableError extends RepriseError {}

/** The account's limit is used up until `resetAt` (milliseconds), where the provider says so. */
export class QuotaError extends RetryableError {
  readonly resetAt: number | null;
  constructor(code: string, message: string, hint: string, resetAt: number | null) {
    super(code, message, hint);
    this.resetAt = resetAt;
  }
}

/** The provider no longer has the history; `evidence` is what it said or what was found. */
export class SessionLostError extends RepriseError {
  readonly evidence: string;
  constructor(code: string, message: string, hint: string, evidence: string) {
    super(code, message, hint);
    this.evidence = evidence;
  }
}

/** The provider's files could not be read, which says nothing about what is in them. */
export class UnreadError extends RepriseError {}

/** Somebody else took this turn or run over; whatever this process still wanted to write is void. */
export class FencedError extends RepriseError {
  constructor(id: string, what: "Turn" | "Run" = "Turn") {
    super(
      "fenced",
      `${what} ${id} was taken over by another process.`,
      "Nothing to do: the other process carries it on.",
    );
  }
}

/** The database can not be used: newer, busy, corrupt, full or not writable. */
export class StoreError extends RepriseError {
  /** What the system does not allow is denied, here as everywhere. */
  override readonly exitCode = this.code === "store-not-writable" ? 5 : 1;
}

export function errorView(error: unknown): ErrorView {
  if (error instanceof RepriseError) return error.view();
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message, hint: "This is a bug in Reprise. Please report it." };
}
