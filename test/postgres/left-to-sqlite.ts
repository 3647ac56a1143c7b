/** What the group `postgres` leaves to the other groups, where a home has a database of its own, and why. */

/** They read or change no store. */
const withoutStore = [
  "packages/engine/src/{config-file,load-providers,store-record}.test.ts",
  "packages/engine/src/inbox/form.test.ts",
  "packages/engine/src/run/{ending,run-inputs,step}.test.ts",
  "packages/engine/src/run/work/function-sandbox.test.ts",
  "packages/engine/src/thread/reading.test.ts",
  "packages/engine/src/turn/{hidden-paths,survivors}.test.ts",
  "packages/reprise/src/server/{event-response,log-file}.test.ts",
];

/** They are about the files of SQLite, or about the database server itself. */
const aboutTheDatabase = [
  "packages/engine/src/{home-check,home-store,open-store,unrecorded}.test.ts",
  "packages/engine/src/migrate/move-home.test.ts",
];

export const filesLeftToSqlite: readonly string[] = [...withoutStore, ...aboutTheDatabase];

interface LeftTest {
  readonly file: string;
  /** The test's full title contains it. */
  readonly title: string;
  readonly reason: string;
}

const copied = "a database on a server is not copied with its home";
const backedUp = "a database on PostgreSQL is backed up with pg_dump";
const commandLine = "the command line uses a home on PostgreSQL only through a server";

/** They are reported as skipped, with the reason. */
export const testsLeftToSqlite: readonly LeftTest[] = [
  {
    file: "packages/engine/src/accounts.test.ts",
    title: "S21: a home that lost its secret",
    reason: "a database knows its home by the secret",
  },
  {
    file: "packages/engine/src/accounts.test.ts",
    title: "homes with other secrets",
    reason: copied,
  },
  {
    file: "packages/engine/src/session/moved-home.test.ts",
    title: "a copy of a home",
    reason: copied,
  },
  ...[
    ["packages/engine/src/accounts.test.ts", "a store that is replaced"],
    ["packages/engine/src/accounts.test.ts", "a restored store"],
    ["packages/reprise/src/server/audit.test.ts", "made a backup"],
  ].map(([file = "", title = ""]) => ({ file, title, reason: backedUp })),
  ...[
    ["test/conformance/c08-cancel.test.ts", "a waiting send names a stopped owner"],
    ["test/conformance/c15-resumable.test.ts", "C15/scripted: workflows/"],
    ["test/conformance/c20-compaction.test.ts", "opening the session by hand"],
    ["test/conformance/c25-permission.test.ts", "the command line"],
    ["test/conformance/c25-permission.test.ts", "C25/scripted: MCP"],
    ["test/conformance/c25-permission.test.ts", "approve allows it once"],
    ["test/conformance/c25-permission.test.ts", "reject --comment"],
    ["test/conformance/c25-permission.test.ts", "answer --deny REASON"],
    ["test/conformance/c25-permission.test.ts", "answer REASON --deny"],
  ].map(([file = "", title = ""]) => ({ file, title, reason: commandLine })),
];
