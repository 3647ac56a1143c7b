/**
 * The one public interface of Reprise: the library is this, the command line is written against it,
 * the server exposes it and a client implements it.
 */

import type { AgentsApi } from "./agents.ts";
import type {
  BackupReport,
  DoctorReport,
  EventView,
  LimitView,
  ProviderView,
  Readiness,
  SettingView,
  UsageQuery,
  UsageReport,
} from "./home.ts";
import type { InboxApi } from "./inbox.ts";
import type { ProtectApi } from "./protect.ts";
import type { RunSession } from "./run-session.ts";
import type { RunsApi } from "./runs.ts";
import type { SendToSession, SessionHandle } from "./session-handle.ts";
import type { SessionsApi } from "./sessions.ts";
import type { TokensApi } from "./tokens.ts";
import type { SendOptions, TurnResult, TurnsApi } from "./turns.ts";

export type * from "./agents.ts";
export type * from "./home.ts";
export type * from "./inbox.ts";
export type * from "./notice.ts";
export type * from "./protect.ts";
export type { RunSession } from "./run-session.ts";
export type * from "./runs.ts";
export type * from "./sessions.ts";
export type * from "./tokens.ts";
export type * from "./turns.ts";

/** An open home, or a connection to the server of one. */
export interface Reprise {
  /**
   * Returns a handle for one session, whose turns can be awaited and iterated. `defaults` apply to every turn.
   * @example
   * const turn = reprise.session("fix-42", { agent: "coder" }).send("Fix the parser.");
   * for await (const step of turn) console.log(step.type);
   * const { output } = await turn;
   */
  session(key: string, defaults?: SendToSession): SessionHandle;
  /**
   * Another name for `sessions.send`, with the key as `sessionKey`, for programs that are written against OpenClaw.
   * @example
   * const { output } = await reprise.run({ sessionKey: "fix-42", prompt: "Fix the parser." });
   */
  run(session: RunSession, options?: SendOptions): Promise<TurnResult>;
  readonly agents: AgentsApi;
  readonly sessions: SessionsApi;
  readonly turns: TurnsApi;
  readonly runs: RunsApi;
  readonly inbox: InboxApi;
  readonly tokens: TokensApi;
  readonly protect: ProtectApi;
  /**
   * Reports whether work can be accepted now, by writing to the store and to the home.
   * @example
   * const { ready, reasons } = await reprise.ready();
   */
  ready(): Promise<Readiness>;
  /**
   * Checks the home, the database and the programs of the agents.
   * @example
   * const problems = (await reprise.doctor()).findings.filter(({ state }) => state === "problem");
   */
  doctor(): Promise<DoctorReport>;
  /**
   * Lists the kinds of agents that this process can drive, with their abilities and settings.
   * @example
   * for (const { name, abilities } of await reprise.providers()) console.log(name, abilities);
   */
  providers(): Promise<ProviderView[]>;
  /**
   * Lists every setting with its value and where the value comes from.
   * @example
   * for (const { name, value, origin } of await reprise.config()) console.log(name, value, origin);
   */
  config(): Promise<SettingView[]>;
  /**
   * Lists the accounts whose limit is used up, the first reset first. An account is named by the agent whose turn found it.
   * @example
   * for (const { agent, until } of await reprise.limits()) console.log(agent, new Date(until));
   */
  limits(): Promise<LimitView[]>;
  /**
   * Reports what sessions used and what resuming saved. Every number says how it is known.
   * @example
   * const { total } = await reprise.usage({ agent: "coder" });
   * console.log(total.saved.tokens, total.saved.known);
   */
  usage(query?: UsageQuery): Promise<UsageReport>;
  /**
   * Writes everything that is needed to continue the sessions into a new file, while the home is in use.
   * `by` is recorded with the event, and is your user's name unless given.
   * @throws UsageError `file-exists`
   * @example
   * const { sessions, bytes } = await reprise.backup("/srv/backups/reprise.backup");
   */
  backup(file: string, options?: { by?: string }): Promise<BackupReport>;
  /**
   * Yields the events after `after`, then new ones as they happen, until `signal` aborts.
   * @example
   * for await (const { seq, type } of reprise.events({ signal: AbortSignal.timeout(60_000) })) {
   *   console.log(seq, type);
   * }
   */
  events(options?: { after?: number; signal?: AbortSignal }): AsyncIterable<EventView>;
  /**
   * Runs turns that were queued meanwhile, then releases the home or ends the connection. Every later call fails
   * with UsageError `closed`. Agents that still work are not ended.
   * @example
   * await reprise.close();
   */
  close(): Promise<void>;
}
