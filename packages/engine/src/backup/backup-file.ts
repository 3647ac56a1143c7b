/** The backup file: one header line, then the compressed database. */

import { createHash } from "node:crypto";
import { constants, createReadStream, createWriteStream, existsSync, type Stats } from "node:fs";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { type BackupHeader, backupHeaderSchema, backupVersion } from "@reprise/core/backup/header";
import { DeniedError, NotFoundError, StoreError, UsageError } from "@reprise/core/errors/errors";
import { newId } from "../engine.ts";

const maxHeader = 64 * 1024;

/** Writes the whole file or nothing. */
export async function writeBackup(
  file: string,
  database: string,
  header: Omit<BackupHeader, "format" | "version" | "bytes" | "sha256">,
): Promise<BackupHeader> {
  if (existsSync(file)) throw fileExists(file);
  const whole: BackupHeader = {
    format: "reprise-backup",
    version: backupVersion,
    ...header,
    ...(await measure(database)),
  };
  const draft = `${file}.${newId()}.new`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.write(`${JSON.stringify(whole)}\n`);
      await pipeline(
        createReadStream(database),
        createZstdCompress(),
        createWriteStream(draft, { fd: handle.fd, autoClose: false }),
      );
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw fileError(file, error);
  }
  return whole;
}

/** @throws UsageError if it is not a backup; @throws StoreError `backup-newer` */
export async function readBackupHeader(file: string): Promise<BackupHeader> {
  const { header } = await locate(file);
  return header;
}

/** Unpacks the database into a new file and verifies its size and digest. */
export async function unpackBackup(file: string, database: string): Promise<void> {
  const { header, start } = await locate(file);
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    await pipeline(
      createReadStream(file, { start }),
      createZstdDecompress(),
      through((chunk) => {
        bytes += chunk.length;
        // A small file may unpack to more than the disk can hold.
        if (bytes > header.bytes) throw damaged(file);
        hash.update(chunk);
      }),
      createWriteStream(database, { flags: "wx", mode: 0o600, flush: true }),
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code?.startsWith("ZSTD") || code === "Z_BUF_ERROR") throw damaged(file);
    throw fileError(database, error);
  }
  if (hash.digest("hex") !== header.sha256) throw damaged(file);
}

async function locate(file: string): Promise<{ header: BackupHeader; start: number }> {
  let handle: FileHandle | undefined;
  try {
    requireFile(file, await stat(file));
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    requireFile(file, await handle.stat());
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxHeader), 0, maxHeader, 0);
    const end = buffer.subarray(0, bytesRead).indexOf("\n");
    return { header: parseHeader(file, buffer.toString("utf8", 0, end + 1)), start: end + 1 };
  } catch (error) {
    throw fileError(file, error);
  } finally {
    await handle?.close();
  }
}

function requireFile(file: string, found: Stats): void {
  if (!found.isFile() && !found.isDirectory())
    throw new UsageError(
      "not-a-file",
      `${file} is not a regular file.`,
      "Name a file that a backup of Reprise has written.",
    );
}

function parseHeader(file: string, line: string): BackupHeader {
  let value: unknown = null;
  try {
    value = JSON.parse(line);
  } catch {
    // Not a backup; reported below.
  }
  const { format, version } = (value ?? {}) as Partial<BackupHeader>;
  if (format !== "reprise-backup" || typeof version !== "number")
    throw new UsageError(
      "no-backup",
      `${file} is not a Reprise backup.`,
      "Name a file that a backup of Reprise has written.",
    );
  if (version > backupVersion)
    throw new StoreError(
      "backup-newer",
      `The backup ${file} has format version ${version}; this version of Reprise reads up to ${backupVersion}.`,
      "Use the newer Reprise that wrote it.",
    );
  const parsed = backupHeaderSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw damaged(file);
}

async function measure(path: string): Promise<Pick<BackupHeader, "bytes" | "sha256">> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

function through(look: (chunk: Buffer) => void): Transform {
  return new Transform({
    transform(chunk, _, done) {
      try {
        look(chunk);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

function damaged(file: string): StoreError {
  return new StoreError(
    "backup-damaged",
    `The backup ${file} is damaged: its content does not match its checksum.`,
    "Use another backup. Nothing was changed.",
  );
}

function fileExists(file: string): UsageError {
  return new UsageError(
    "file-exists",
    `${file} already exists.`,
    "Name a new file; a backup never overwrites one.",
  );
}

/** Turns a system error about a file into one sentence; other errors are returned unchanged. */
export function fileError(file: string, error: unknown): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
    case "ENOTDIR":
      return new NotFoundError("no-file", `${file} does not exist.`, "Check the path.");
    case "EISDIR":
      return new UsageError("file-is-folder", `${file} is a folder.`, "Name a file.");
    case "ENAMETOOLONG":
    case "ELOOP":
    case "EINVAL":
    case "ERR_INVALID_ARG_VALUE":
      return new UsageError(
        "bad-file-name",
        `${JSON.stringify(file.slice(0, 200))} is not a valid file name.`,
        "Choose another one.",
      );
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new DeniedError(
        "file-denied",
        `${file} cannot be opened (${(error as NodeJS.ErrnoException).code}).`,
        "Check its permissions and those of its folder.",
      );
    case "ENOSPC":
    case "EDQUOT":
      return new StoreError(
        "store-full",
        `${file} cannot be written: the disk is full.`,
        "Free some disk space and try again.",
      );
    default:
      return error;
  }
}
