/** A session's own settings, as they are written in a file. */
export type SessionSettings = Readonly<Record<string, string | number>>;
