/** What core may know of its surroundings beyond the language itself: types only, and only these. */

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
}
