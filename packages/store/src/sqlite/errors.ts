/** Translates errors of SQLite and the file system into StoreErrors; the only place that does so. */

import { StoreError } from "@reprise/core/errors/errors";
import { command, slot } from "@reprise/core/errors/hint";

type StoreErrorCode =
  | "store-busy"
  | "store-corrupt"
  | "store-full"
  | "store-io"
  | "store-not-writable";

/** Primary result codes: https://www.sqlite.org/rescode.html */
const bySqliteCode: Readonly<Record<number, StoreErrorCode>> = {
  3: "store-not-writable", // PERM
  5: "store-busy", // BUSY
  6: "store-busy", // LOCKED
  8: "store-not-writable", // READONLY
  10: "store-io", // IOERR
  11: "store-corrupt", // CORRUPT
  13: "store-full", // FULL
  14: "store-not-writable", // CANTOPEN
  26: "store-corrupt", // NOTADB
};

/** SQLite's error if there is no space for its -shm file. */
const ioerrShmsize = 4874;

const bySystemCode: Readonly<Record<string, StoreErrorCode>> = {
  EACCES: "store-not-writable",
  EPERM: "store-not-writable",
  EROFS: "store-not-writable",
  ENOTDIR: "store-not-writable",
  EEXIST: "store-not-writable",
  ENOSPC: "store-full",
  EDQUOT: "store-full",
  EFBIG: "store-full",
  EIO: "store-io",
};

const sentences: Readonly<Record<StoreErrorCode, readonly [what: string, hint: string]>> = {
  "store-busy": [
    "is locked by another process for longer than the time-out",
    "Try again; if that does not help, find the process that has the file open.",
  ],
  "store-corrupt": [
    "is damaged or is not a database",
    `Restore a backup with ${command("restore", slot("FILE"))}. Nothing was changed.`,
  ],
  "store-full": [
    "cannot grow: the disk, a quota or the page limit is full",
    "Free some disk space and try again.",
  ],
  "store-io": [
    "cannot be read or written: the disk reports an error, or a quota or file-size limit is reached",
    "Check the disk, quotas and limits (ulimit -f), then try again.",
  ],
  "store-not-writable": [
    "cannot be opened for writing",
    "Give this user write access to the file and its folder, or choose another home.",
  ],
};

/** Returns errors that do not concern the database's file unchanged. */
export function storeError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const code = conditionOf(error);
  if (code === undefined) return error;
  const [what, hint] = sentences[code];
  return new StoreError(code, `The database ${path} ${what} (${error.message}).`, hint, {
    cause: error,
  });
}

/** A new database is linked into place complete, so an empty file has lost its content. */
export function emptyError(path: string): StoreError {
  return new StoreError(
    "store-corrupt",
    `The database ${path} is empty.`,
    `Restore a backup with ${command("restore", slot("FILE"))}, or remove the file to begin with a new database.`,
  );
}

export function movedError(path: string): StoreError {
  return new StoreError(
    "store-moved",
    `The sessions of the database ${path} were moved to a PostgreSQL database.`,
    "Try again: store.json beside it has the address. If that file is missing, write it again, or put the database that the move kept aside in this one's place.",
  );
}

export function newerError(path: string, found: number, known: number): StoreError {
  return new StoreError(
    "store-newer",
    `The database ${path} has schema version ${found}; this version of Reprise reads up to ${known}.`,
    "Use the newer Reprise that wrote it.",
  );
}

function conditionOf(error: Error & { code?: unknown; errcode?: unknown }) {
  if (error.code === "ERR_SQLITE_ERROR" && typeof error.errcode === "number")
    return error.errcode === ioerrShmsize ? "store-full" : bySqliteCode[error.errcode & 0xff];
  return typeof error.code === "string" ? bySystemCode[error.code] : undefined;
}
