/** Reads files that a person or a client names, for programs that use the engine. */

import { type ReadLimits, readBounded } from "@reprise/providers/files";

export type FileLimits = ReadLimits;

/**
 * Reads a regular file up to a size limit.
 * @throws UsageError `not-a-file`, `file-too-large`
 * @throws system errors: ENOENT, EACCES, EISDIR …
 */
export function readNamedFile(path: string, limits: FileLimits): Promise<Buffer> {
  return readBounded(path, limits);
}
