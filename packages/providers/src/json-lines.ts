/** JSON lines: the format of agents' output and of their session files. */

import { setImmediate as otherWork } from "node:timers/promises";

/** The JSON object on a line; null for any other line. */
export function jsonLine(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}

/**
 * The lines of a file that is only appended to. Null when its last line is torn or a byte is not UTF-8: an agent
 * that skips such a line knows less than it did, so the whole file counts as unreadable.
 */
export function wholeLines(bytes: Uint8Array): string[] | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const lines = text.split("\n");
    return lines.pop() === "" ? lines : null;
  } catch {
    return null;
  }
}

export interface FileLine {
  readonly text: string;
  /** The size of the file up to the next line. */
  readonly end: number;
}

/** How many bytes are read until other work of the process gets its turn; parsing them takes some milliseconds. */
const slice = 1024 * 1024;

/** The lines of a file that may be long, without empty ones. */
export async function* fileLines(bytes: Uint8Array): AsyncGenerator<FileLine> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let pause = slice;
  for (let start = 0; start < buffer.length; ) {
    const next = buffer.indexOf("\n", start);
    const end = next === -1 ? buffer.length : next;
    if (end > start) yield { text: buffer.toString("utf8", start, end), end: end + 1 };
    start = end + 1;
    if (start < pause) continue;
    await otherWork();
    pause = start + slice;
  }
}
