/** The words that types of the API use, and that other parts of core define. */

export type { Access, OnDenied } from "../session/access.ts";
export type { GuardName } from "../session/decision.ts";
export type { AgentKind, Continuity, RunMode, Surface } from "../session/policy.ts";
export type { BusyPolicy, TurnStatus } from "../session/turn.ts";
