/** Splits a stream of bytes into lines of text, in time that grows with the bytes alone. */

export interface LineSplitter {
  /** Takes the next bytes; they are copied where needed, so the caller may use the array again. */
  push(bytes: Uint8Array): void;
  /** Hands over what stands after the last newline. */
  end(): void;
}

export interface LineOptions {
  /** Bytes; a longer line is dropped. */
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
  /** Goes on counting beyond the maximum, while nothing is held any more. */
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
    // Decoded as a whole line, so that a character split between two reads is whole again.
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
