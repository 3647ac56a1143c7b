/** Who cancels, as the reason of an aborted signal: so it reaches whoever ends the turn, however far away. */

export class CancelReason extends Error {
  readonly by: string;

  constructor(by: string) {
    super(`Cancelled by ${by}.`);
    this.name = new.target.name;
    this.by = by;
  }
}

/** Null when nobody is named. */
export function cancelledBy(signal: AbortSignal | undefined): string | null {
  return signal?.reason instanceof CancelReason ? signal.reason.by : null;
}
