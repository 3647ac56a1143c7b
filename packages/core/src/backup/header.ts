/** The first line of a backup: what it is a backup of, and by which its content is checked. */

import { z } from "zod";

/** Version of the backup's own format. */
export const backupVersion = 1;

export const backupHeaderSchema = z.object({
  format: z.literal("reprise-backup"),
  version: z.number().int(),
  madeAt: z.number(),
  /** Real path of the home that it was made of. */
  home: z.string(),
  schema: z.number().int(),
  sessions: z.number().int(),
  turns: z.number().int(),
  /** Of the database, as it is when it is unpacked. */
  bytes: z.number().int(),
  sha256: z.string(),
  /** The key of the digests by which accounts are compared. */
  secret: z.string(),
});
export type BackupHeader = z.output<typeof backupHeaderSchema>;
