/** Reads bytes from a stream, such as standard input, up to a limit. */

import type { Readable } from "node:stream";

/** Stops reading at the limit, so an endless input ends too. @throws the error that `tooLarge` returns */
export async function readStream(
  stream: Readable,
  limit: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > limit) throw tooLarge();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
