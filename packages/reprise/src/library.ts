/** The entry `reprise`: what a program gets that opens a home in its own process. */

export type * from "@reprise/core/api/reprise";
export {
  BusyError,
  DeniedError,
  FencedError,
  NotFoundError,
  QuotaError,
  RefusedError,
  RepriseError,
  RetryableError,
  SessionLostError,
  StoreError,
  TerminalError,
  TimedOutError,
  UnreadError,
  UsageError,
} from "@reprise/core/errors/errors";
export { openReprise, type RepriseOptions } from "./open.ts";
