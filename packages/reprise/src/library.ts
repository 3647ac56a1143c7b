/** The entry `reprise`: for programs that open a home in their own process. */

export type * from "@reprise/core/api/reprise";
export type { SendToSession, SentTurn, SessionHandle } from "@reprise/core/api/session-handle";
export {
  BusyError,
  DeniedError,
  type ErrorView,
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
export type { Access, OnDenied } from "@reprise/core/session/access";
export type { GuardName } from "@reprise/core/session/decision";
export type { AgentKind, Continuity, RunMode, Surface } from "@reprise/core/session/policy";
export type { BusyPolicy, TurnStatus } from "@reprise/core/session/turn";
export { openReprise, type RepriseOptions } from "./open.ts";
