/** Splits a stream of bytes into lines of text, in linear time. */

export interface LineSplitter {
  /** Takes the next bytes and copies what it keeps, so the caller may reuse the array. */
  push(bytes: Uint8Array): void;
  /** Passes on the text after the last newline. */
  end(): void;
}

export interface LineOptions {
  /** In bytes; a longer line is dropped. */
  readonly maxLine?: number;
  readonly onDropped?: ((bytes: number) => void) | undefined;
}

const newline = 0x0a;
const carriageReturn = 0x0d;
const smallest = 64 * 1024;

export function lineSplitter(
  onLine: (line: string) => void,
  { maxLine = 64 * 1024 * 1024, onDropped }: LineOptions = {},
): LineSplitter {
  /** The beginning of a line whose end has not come yet, in `held[0..length)`. */
  let held = Buffer.alloc(0);
  /** Keeps counting beyond the maximum, when the line itself is no longer held. */
  let length = 0;

  function hold(bytes: Buffer): void {
    const grown = length + bytes.length;
    if (grown > maxLine) {
      held = Buffer.alloc(0);
    } else {
      if (grown > held.length) {
        const larger = Buffer.allocUnsafe(Math.max(grown, 2 * held.length, smallest));
        held.copy(larger, 0, 0, length);
        held = larger;
      }
      bytes.copy(held, length);
    }
    length = grown;
  }

  function deliver(line: Buffer): void {
    // Decoding the whole line keeps characters intact that were split between two reads.
    onLine(
      line.toString("utf8", 0, line.at(-1) === carriageReturn ? line.length - 1 : line.length),
    );
  }

  function deliverHeld(): void {
    const line = held.subarray(0, length);
    const bytes = length;
    length = 0;
    if (held.length > smallest) held = Buffer.alloc(0);
    if (bytes > maxLine) onDropped?.(bytes);
    else deliver(line);
  }

  return {
    push(array) {
      const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
      let from = 0;
      for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
        const part = bytes.subarray(from, at);
        from = at + 1;
        if (length === 0 && part.length <= maxLine) {
          deliver(part);
        } else {
          hold(part);
          deliverHeld();
        }
      }
      if (from < bytes.length) hold(bytes.subarray(from));
    },
    end() {
      if (length > 0) deliverHeld();
    },
  };
}
