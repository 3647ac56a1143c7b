/** What a turn waits for before its agent starts. */

/** Another turn has the session. */
export interface WaitingBehind {
  readonly type: "waiting";
  /** Id of that turn. */
  readonly behind: string;
  /** The process that runs it; null while none does. */
  readonly owner: { readonly pid: number; readonly host: string } | null;
  /** When it started, or was sent. */
  readonly since: number;
  /** Its owner cannot be seen from here. */
  readonly unseen: boolean;
  /** Its owner was stopped, as by Ctrl-Z. */
  readonly stopped: boolean;
}

/** As many agents work on this host as are allowed: it begins when one of them has ended. */
export interface WaitingForAgent {
  readonly type: "limited";
  readonly limit: "maxAgents";
  readonly max: number;
}

/** The limit of its account is used up: it begins when that is reset. */
export interface WaitingForReset {
  readonly type: "limited";
  readonly limit: "quota";
  /** When it is reset, in milliseconds since 1970. */
  readonly until: number;
}

export type TurnWaiting = WaitingBehind | WaitingForAgent | WaitingForReset;
