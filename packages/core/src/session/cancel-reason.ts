/** Who cancels, as the reason of an aborted signal, so that the code that ends the turn can report it. */

export class CancelReason extends Error {
  readonly by: string;

  constructor(by: string) {
    super(`Cancelled by ${by}.`);
    this.name = new.target.name;
    this.by = by;
  }
}

/** Null if the caller gave no name. */
export function cancelledBy(signal: AbortSignal | undefined): string | null {
  return signal?.reason instanceof CancelReason ? signal.reason.by : null;
}
