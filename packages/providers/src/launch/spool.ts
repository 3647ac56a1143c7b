/**
 * The spool: the folder `turns/<turn>/<attempt>` through which an agent is started, followed and found
 * again. `argv prompt stdout stderr` are there from the beginning; the shim adds `ticket`, `pid` (its
 * own identity), `agent` (the agent's) and, last, `exit`.
 */

import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { ProcessIdentity } from "@reprise/core/session/turn";
import type { SpoolId, SpoolSpec } from "./launcher.ts";

const withdrawn = "withdrawn";
const stderrKept = 16 * 1024;

export function turnFolder(root: string, turn: string): string {
  return join(root, "turns", turn);
}

export function spoolFolder(root: string, { turn, attempt }: SpoolId): string {
  return join(turnFolder(root, turn), String(attempt));
}

/** The spools of all attempts of a turn. */
export function spoolFolders(root: string, turn: string): string[] {
  const folder = turnFolder(root, turn);
  const names = unlessMissing(() => readdirSync(folder)) ?? [];
  return names.filter((name) => /^\d+$/.test(name)).map((name) => join(folder, name));
}

export function spooledTurns(root: string, beginning: string): string[] {
  const names = unlessMissing(() => readdirSync(join(root, "turns"))) ?? [];
  return names.filter((name) => name.startsWith(beginning));
}

/** Beside the spools, so that it is found whichever attempt is running. */
function cancelMark(turnFolder: string): string {
  return join(turnFolder, "cancelled");
}

/**
 * Without a spool nothing was started, so there is nothing to cancel. The first mark stays. It is written beside its
 * place and then moved, since the agent may end while it is being written.
 */
export function markCancelled(root: string, turn: string, by: string | null): void {
  const folder = turnFolder(root, turn);
  if (existsSync(cancelMark(folder))) return;
  const draft = join(folder, `.${randomUUID()}`);
  unlessMissing(() => {
    try {
      writeFileSync(draft, by ?? "", { mode: 0o600 });
    } catch (error) {
      // A full disk cannot hold the name, but it can hold an empty file that marks the turn as cancelled.
      if (!isCode(error, "ENOSPC", "EDQUOT", "EFBIG")) throw error;
      writeFileSync(draft, "", { mode: 0o600 });
    }
    renameSync(draft, cancelMark(folder));
  });
}

/** Null unless the turn of this spool was cancelled. */
export function readCancelMark(folder: string): { by: string | null } | null {
  const by = unlessMissing(() => readFileSync(cancelMark(dirname(folder)), "utf8"));
  return by === null ? null : { by: by || null };
}

/** Writes the spool beside its place and renames it: atomic, and only once. */
export function writeSpool(folder: string, { prompt, argv, answers, schema }: SpoolSpec): void {
  const draft = join(dirname(folder), `.${randomUUID()}`);
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  try {
    const files = {
      argv: `${JSON.stringify(argv)}\n`,
      prompt,
      stdout: "",
      stderr: "",
      ...(answers != null && { answers }),
      ...(schema != null && { schema }),
    };
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(draft, name), text, { mode: 0o600 });
    }
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!isCode(error, "ENOTEMPTY", "EEXIST")) throw error;
  }
}

/** Who took the ticket. A withdrawal is a symbolic link, because a link is created with its content in one step. */
export function readTicket(folder: string): "shim" | "withdrawn" | null {
  try {
    readlinkSync(join(folder, "ticket"));
    return "withdrawn";
  } catch (error) {
    if (isCode(error, "EINVAL")) return "shim";
    if (isCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** False when the ticket was already taken. */
export function takeTicket(folder: string): boolean {
  try {
    symlinkSync(withdrawn, join(folder, "ticket"));
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  }
}

export function readIdentity(folder: string, name: "pid" | "agent"): ProcessIdentity | null {
  const [pid, start, boot, host, machine, namespace] = readRecord(folder, name) ?? [];
  if (start === undefined || boot === undefined || host === undefined) return null;
  return {
    host,
    boot,
    pid: Number(pid),
    // As `ps` prints it on systems without /proc, with padded days.
    start: start.trim().replace(/\s+/g, " "),
    ...(machine !== undefined && namespace !== undefined && { machine, namespace }),
  };
}

/** Null if there is no spool. */
export function writtenAt(folder: string): number | null {
  return unlessMissing(() => statSync(join(folder, "argv")).mtimeMs);
}

export function readExit(folder: string): number | null {
  const code = readRecord(folder, "exit")?.[0];
  return code === undefined ? null : Number(code);
}

/** The end of what the agent wrote to standard error. */
export function readStderr(folder: string): string {
  const file = openSync(join(folder, "stderr"), "r");
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, stderrKept));
    const tail = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, size - bytes.length));
    // Leave out the rest of a character that was cut.
    let from = 0;
    while (size > stderrKept && from < 3 && (tail[from]! & 0xc0) === 0x80) from += 1;
    return tail.toString("utf8", from);
  } finally {
    closeSync(file);
  }
}

/** The lines of a record of the shim; null until its last newline is there. */
function readRecord(folder: string, name: string): string[] | null {
  const text = unlessMissing(() => readFileSync(join(folder, name), "utf8"));
  return text?.endsWith("\n") ? text.slice(0, -1).split("\n") : null;
}

function unlessMissing<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (isCode(error, "ENOENT")) return null;
    throw error;
  }
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? "");
}

// The shim: a small shell script between Reprise and the agent that outlives Reprise, makes sure that
// an attempt starts at most once, and records who runs it and how it ended.
//
// Started as `sh -c SCRIPT reprise-turn <spool> <place> <boot> <command...>`; the place is the host's name, the
// machine and the pid namespace, one on each line. Where /proc exists it starts no other program: each would cost a
// millisecond, and might not be on the agent's PATH.

/** Shell code that reads the shell's own identity. */
interface Means {
  /** Sets `__reprise_pid` and `__reprise_start` of the shell, or subshell, that calls it. */
  readonly identify: string;
  /** Sets `__reprise_umask`. */
  readonly umask: string;
}

const fromProc: Means = {
  identify: `
  read -r __reprise_stat </proc/self/stat
  set -- $__reprise_stat
  __reprise_pid=$1
  __reprise_start=\${22}`,
  // The second line, except in very old kernels.
  umask: `
{ read -r __reprise_name; read -r __reprise_name __reprise_umask; } </proc/self/status
[ "$__reprise_name" = Umask: ] || __reprise_umask=$(umask)`,
};

const fromPs: Means = {
  // In a subshell $$ is still the pid of its parent.
  identify: `
  __reprise_pid=$(exec /bin/sh -c 'echo $PPID')
  __reprise_start=$(LC_ALL=C TZ=UTC /bin/ps -o lstart= -p "$__reprise_pid")`,
  umask: "__reprise_umask=$(umask)",
};

/**
 * Names begin with `__reprise` because the shell would change a variable of the agent's environment
 * that had the same name. The agent is not put into the background, where a shell makes it ignore
 * SIGINT; a shell that waits for its foreground runs its traps only afterwards, so a signal to the
 * shim alone loses nothing, and the agent's subshell starts without the traps. Each record is one
 * short write whose last byte is a newline: a record without it counts as not written.
 */
function script({ identify, umask }: Means): string {
  return `
__reprise_identify() {${identify}
}
__reprise_record() {
  __reprise_identify
  printf '%s\\n' "$__reprise_pid" "$__reprise_start" "$__reprise_boot" "$__reprise_host" >"$__reprise_spool/$1"
}
trap : HUP INT QUIT TERM USR1 USR2 ALRM PIPE
__reprise_spool=$1
__reprise_host=$2
__reprise_boot=$3
shift 3
${umask}
umask 077

# With -C the file is created or the redirection fails, in one step: this is the ticket.
set -C
true >"$__reprise_spool/ticket" || exit 0
set +C

__reprise_record pid || exit 1
(
  __reprise_record agent
  umask "$__reprise_umask"
  exec "$@"
) <"$__reprise_spool/prompt" >>"$__reprise_spool/stdout" 2>>"$__reprise_spool/stderr"
printf '%s\\n' "$?" >"$__reprise_spool/exit"
`;
}

export const procShim = script(fromProc);
export const psShim = script(fromPs);
