/** The first line of a backup: which home it was made of, and how to verify its content. */

import { z } from "zod";

/** Version of the backup's own format. */
export const backupVersion = 1;

export const backupHeaderSchema = z.object({
  format: z.literal("reprise-backup"),
  version: z.number().int(),
  madeAt: z.number(),
  /** Real path of the home. */
  home: z.string(),
  schema: z.number().int(),
  sessions: z.number().int(),
  turns: z.number().int(),
  /** Size of the unpacked database. */
  bytes: z.number().int(),
  sha256: z.string(),
  /** The key for the digests that identify accounts. */
  secret: z.string(),
});
export type BackupHeader = z.output<typeof backupHeaderSchema>;
