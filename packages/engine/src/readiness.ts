/** Whether the home can take work: writes something to the database and to the home's folder. */

import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readiness } from "@reprise/core/api/reprise";
import { errorView } from "@reprise/core/errors/errors";
import type { Engine } from "./engine.ts";
import { listUnrecorded, recordingFailure } from "./hosts.ts";

type Reason = Readiness["reasons"][number];

/** The size of a small spool. */
const bytes = 16 * 1024;
/** The maximum number of turns and runs to name. */
const maxShown = 5;

/** Every HTTP client may read these, so they contain no paths. */
const sentences: Readonly<Record<string, readonly [text: string, hint: string]>> = {
  "store-full": [
    "The disk, a quota or a size limit is full, so nothing can be recorded.",
    "Free some disk space; then waiting work continues automatically.",
  ],
  "store-io": [
    "The disk reports an error, or a quota or file-size limit is reached, so nothing can be recorded.",
    "Check the disk, quotas and limits (ulimit -f).",
  ],
  "store-busy": [
    "Another process has kept the database locked for longer than the time-out.",
    "Find the process that has the database open.",
  ],
  "store-not-writable": ["The home cannot be written by this user.", "Give it write permission."],
};

export async function readiness(engine: Engine): Promise<Readiness> {
  const failures = [
    await failureOf(engine.store.checkWritable()),
    await failureOf(writeFolder(engine)),
  ];
  const [failed] = failures.filter((reason) => reason !== null);
  const unrecorded = await listUnrecorded(engine).catch(() => []);
  const reasons = [
    ...(failed ? [failed] : []),
    ...unrecorded.slice(0, maxShown).map(
      ({ kind, id, error }): Reason => ({
        code: error.code,
        text: `${kind === "turn" ? "Turn" : "Run"} ${id} could not be recorded.`,
        hint: "Free some disk space; Reprise retries automatically.",
      }),
    ),
  ];
  return { ready: reasons.length === 0, reasons };
}

async function writeFolder({ home }: Engine): Promise<void> {
  const file = join(home.path, `.ready-${randomBytes(6).toString("hex")}`);
  try {
    await writeFile(file, Buffer.alloc(bytes, 1), { mode: 0o600, flag: "wx" });
  } finally {
    await rm(file, { force: true });
  }
}

async function failureOf(trying: Promise<void>): Promise<Reason | null> {
  try {
    await trying;
    return null;
  } catch (error) {
    const { code } = recordingFailure(error) ?? { code: deniedCode(error) };
    const [text, hint] = sentences[code] ?? [
      "The home cannot be written.",
      errorView(recordingFailure(error) ?? error).hint,
    ];
    return { code, text, hint };
  }
}

function deniedCode(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EACCES" || code === "EROFS" || code === "EPERM"
    ? "store-not-writable"
    : "store-io";
}
