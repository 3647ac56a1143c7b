/**
 * Becomes gemini, after it did what gemini has no flag for: it keeps the session out of reach of gemini's clean-up, and
 * writes the policy of the launch into a file. Started with an order, gemini's program and its arguments.
 */

import { createHash } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findSessionFiles, ownName, withContent } from "./session-files.ts";

export interface StartOrder {
  /** The session that is continued. */
  readonly session: { readonly id: string; readonly place: string } | null;
  /** Rules of gemini's policy engine, and the folder for the file that has them. */
  readonly policy: { readonly text: string; readonly folder: string } | null;
}

const [order = "", program = "", ...args] = process.argv.slice(2);
const { session, policy } = JSON.parse(order) as StartOrder;
if (session) await tidy(session);
const flags = policy ? [`--admin-policy=${written(policy)}`] : [];
process.execve?.(program, [program, ...flags, ...args], process.env);

/**
 * Gives the session's file a name that gemini's clean-up does not delete with an empty one, and removes the empty files
 * that earlier resumes left. If anything is unclear, it changes nothing.
 */
async function tidy(handle: NonNullable<StartOrder["session"]>): Promise<void> {
  const { id, place } = handle;
  const files = await findSessionFiles(handle);
  const [file, ...others] = withContent(files);
  if (!file?.session || others.length > 0) return;
  const own = join(dirname(file.name), ownName(id));
  for (const { name } of files) if (name !== file.name) rmSync(join(place, name), { force: true });
  if (file.name !== own && file.name.endsWith(".jsonl"))
    renameSync(join(place, file.name), join(place, own));
}

/** One file for each policy, so that launches beside each other do not share one that changes. */
function written({ text, folder }: NonNullable<StartOrder["policy"]>): string {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const file = join(folder, `gemini-policy-${digest}.toml`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, text, { mode: 0o600 });
  renameSync(whole, file);
  return file;
}
