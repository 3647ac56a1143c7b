/** JSON lines: the format of agents' output and of their session files. */

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
