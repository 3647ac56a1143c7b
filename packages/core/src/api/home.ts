/** The home itself: its health, settings, usage, backups and events. */

/** Whether the home can take work now, and if not, why. */
export interface Readiness {
  ready: boolean;
  reasons: { code: string; text: string; hint: string }[];
}

export interface DoctorFinding {
  subject: string;
  state: "ok" | "warning" | "problem";
  text: string;
  hint: string | null;
}

export interface DoctorReport {
  ok: boolean;
  findings: DoctorFinding[];
}

/** A kind of agent, as the manifest of its provider describes it. */
export interface ProviderView {
  /** As `agents.create({ provider })` takes it. */
  name: string;
  title: string;
  /** Names that a workflow may write as `runner`. */
  runners: string[];
  abilities: string[];
  /** The settings of its agents, as JSON Schema. */
  settings: Record<string, unknown>;
  access: {
    /** How each level is enforced. A level that is missing is refused. */
    levels: { read?: string | undefined; edit?: string | undefined; full?: string | undefined };
    /** What cannot be enforced. */
    limits: string[];
    asks: boolean;
  };
  checkpoint: "file" | "export" | "state" | "none";
  program: { product: string; tested: string[]; install: string };
  /** Whether it comes with Reprise. */
  builtIn: boolean;
}

export interface SettingView {
  name: string;
  value: unknown;
  /** Where the value comes from. */
  origin: string;
  about: string;
  /** Where it can be set: the user's own file, the file of a project folder, or one session. */
  scopes: ("user" | "project" | "session")[];
}

/** The limit of an account, as a turn found it used up. */
export interface LimitView {
  provider: string;
  /** The agent whose turn found it. */
  agent: string;
  /** Id of that turn. */
  turn: string;
  /** When it is reset, as the provider said, in milliseconds since 1970. */
  until: number;
  foundAt: number;
  /** How many turns wait for the reset. */
  waiting: number;
}

export interface UsageQuery {
  key?: string | null | undefined;
  agent?: string | null | undefined;
  /** Only turns opened at or after this time, in milliseconds since 1970. */
  since?: number | null | undefined;
  /** Maximum number of sessions, and of turns of `key`; 100 unless given. */
  limit?: number | undefined;
}

export interface AmountView {
  /** null when unknown. */
  tokens: number | null;
  known: "measured" | "estimated" | "unreported";
}

export interface UsageFiguresView {
  turns: number;
  outcomes: { resume: number; reseed: number; blank: number; refuse: number };
  /** Turns that ran without a usage report. */
  unreportedTurns: number;
  cachedRead: AmountView;
  cachedWrite: AmountView;
  uncached: AmountView;
  output: AmountView;
  /** What reseeds would have sent instead of the resumed turns. */
  reseed: AmountView;
  /** `reseed` less what the resumed turns sent uncached. */
  saved: AmountView;
}

export interface SessionUsage extends UsageFiguresView {
  key: string;
  agent: string;
  provider: string;
}

export interface TurnUsage extends UsageFiguresView {
  id: string;
  seq: number;
  agent: string;
  provider: string;
}

export interface UsageReport {
  since: number | null;
  sessions: SessionUsage[];
  /** Turns of the key that was asked for, newest first. */
  turns: TurnUsage[] | null;
  total: UsageFiguresView;
}

export interface BackupReport {
  file: string;
  madeAt: number;
  /** Version of the database schema. */
  schema: number;
  sessions: number;
  turns: number;
  /** Size of the database before compression. */
  bytes: number;
}

export interface RestoreReport extends Omit<BackupReport, "bytes"> {
  home: string;
  /** Turns that were open when the backup was made. */
  interrupted: number;
  /** Folder with what the home contained before. */
  keptAside: string | null;
  /** Tokens that were valid when the backup was made; they are revoked unless they were asked for. */
  tokens: { name: string; role: string; kept: boolean }[];
  /** Webhooks of the backup; they are removed unless they were asked for. */
  webhooks: { id: string; url: string | null; kept: boolean }[];
  /** Agents and classes of the backup whose settings name a program or a file. */
  programs: { name: string; settings: Record<string, string> }[];
}

/** An entry of the event log. */
export interface EventView {
  seq: number;
  stream: string;
  streamSeq: number;
  type: string;
  data: unknown;
  /** Milliseconds since 1970. */
  at: number;
}
