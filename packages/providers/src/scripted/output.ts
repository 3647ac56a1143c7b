/** Writes the scripted agent's standard output, whole or in pieces that split characters. */

import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const pieceBytes = 8;
const mebibyte = 1024 * 1024;

export class Output {
  readonly #split: boolean;

  constructor(split: boolean) {
    this.#split = split;
  }

  async event(event: { type: string; [detail: string]: unknown }): Promise<void> {
    await this.bytes(Buffer.from(`${JSON.stringify(event)}\n`));
  }

  async bytes(bytes: Uint8Array): Promise<void> {
    if (!this.#split) return write(bytes);
    for (const piece of pieces(bytes)) {
      write(piece);
      await pause(1);
    }
  }

  /** A text event whose line is exactly `bytes` long, its line feed included. */
  bigLine(bytes: number): void {
    const before = '{"type":"text","text":"';
    const after = '"}\n';
    let left = bytes - before.length - after.length;
    write(Buffer.from(before));
    for (const filler = Buffer.alloc(mebibyte, "x"); left > 0; left -= mebibyte)
      write(filler.subarray(0, left));
    write(Buffer.from(after));
  }
}

/** Short pieces, and a cut before every continuation byte of a UTF-8 character. */
function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  let start = 0;
  for (let end = 1; end <= bytes.length; end += 1) {
    const inside = ((bytes[end] ?? 0) & 0xc0) === 0x80;
    if (!inside && end - start < pieceBytes && end < bytes.length) continue;
    yield bytes.subarray(start, end);
    start = end;
  }
}

function write(bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(1, bytes, done);
}
