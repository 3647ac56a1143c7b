/** Files that a person or a client names, for programs that are built on the engine. */

import { type ReadLimits, readBounded } from "@reprise/providers/bounded-file";

export type FileLimits = ReadLimits;

/**
 * A regular file, up to a limit.
 * @throws UsageError `not-a-file`, `file-too-large`
 * @throws what the system says: ENOENT, EACCES, EISDIR …
 */
export function readNamedFile(path: string, limits: FileLimits): Promise<Buffer> {
  return readBounded(path, limits);
}
