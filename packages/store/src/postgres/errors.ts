/** Translates errors of PostgreSQL and of the network into StoreErrors; the only place that does so. */

import { StoreError } from "@reprise/core/errors/errors";

type Condition =
  | "store-busy"
  | "store-corrupt"
  | "store-denied"
  | "store-full"
  | "store-no-password"
  | "store-not-writable"
  | "store-unreachable";

/** Codes and classes of codes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const byState: readonly (readonly [state: RegExp, Condition])[] = [
  [/^(?:08|25P03|57P0[123])/, "store-unreachable"],
  [/^53300/, "store-busy"],
  [/^53/, "store-full"],
  [/^(?:28|3D000)/, "store-denied"],
  [/^(?:25006|42501)/, "store-not-writable"],
  [/^XX00[12]/, "store-corrupt"],
];

/** Errors of sockets, and the words of the driver when a connection ends. */
const network =
  /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN)|Connection terminated|not queryable|timeout expired|Query read timeout/;

/** The words of the driver when it needs a password and has none. */
const noPassword = /client password must be a/;

const sentences: Readonly<Record<Condition, readonly [what: string, hint: string]>> = {
  "store-busy": ["accepts no more connections", "Try again, or raise max_connections."],
  "store-corrupt": [
    "reports damaged data",
    "Restore a backup of the database. Nothing was changed.",
  ],
  "store-denied": [
    "does not let this user in",
    "Check the user, the password and the name of the database.",
  ],
  "store-full": ["has no space or memory left", "Free some space on its server, then try again."],
  "store-no-password": [
    "asks for a password, and none was found",
    "Set PGPASSWORD, write it into a passfile that only you can read, or put the whole address into REPRISE_STORE.",
  ],
  "store-not-writable": [
    "does not let this user write",
    "Use an address that leads to the primary server, and a user who owns the database.",
  ],
  "store-unreachable": [
    "cannot be reached",
    "Check that the server runs and accepts connections, then try again.",
  ],
};

/** Whether the transaction was rolled back only because of others, so that it can be tried again. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(stateOf(error));
}

/** Whether the connection was lost, so that it is unknown whether a commit was done. */
export function isLost(error: unknown): boolean {
  return conditionOf(error) === "store-unreachable";
}

/** Whether a StoreError says that the server cannot be reached. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof StoreError && error.code === "store-unreachable";
}

export function storeError(error: unknown, database: string): unknown {
  const condition = conditionOf(error);
  if (condition === undefined) return error;
  const [what, hint] = sentences[condition];
  const { message } = error as Error;
  return new StoreError(condition, `The database ${database} ${what} (${message}).`, hint, {
    cause: error,
  });
}

function conditionOf(error: unknown): Condition | undefined {
  if (!(error instanceof Error) || error instanceof StoreError) return undefined;
  const state = stateOf(error);
  if (network.test(state) || network.test(error.message)) return "store-unreachable";
  if (noPassword.test(error.message)) return "store-no-password";
  return byState.find(([pattern]) => pattern.test(state))?.[1];
}

function stateOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
