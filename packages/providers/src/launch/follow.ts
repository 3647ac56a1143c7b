/** Reads an agent's output from its spool while it grows, until the agent has ended. */

import { type FSWatcher, watch } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Exit } from "../provider.ts";
import type { FollowOptions } from "./launcher.ts";
import { readCancelMark, readExit, readStderr } from "./spool.ts";

const blockSize = 256 * 1024;
const firstPause = 10;
const longestPause = 250;

/** `inProgress` is costly and asked only now and then; false means that no process of the attempt is alive. */
export async function followSpool(
  folder: string,
  inProgress: () => boolean,
  { onLine, onDropped, signal }: FollowOptions,
): Promise<Exit> {
  signal?.throwIfAborted();
  const stdout = await open(join(folder, "stdout"));
  const bell = bellOf(folder);
  signal?.addEventListener("abort", bell.ring);
  try {
    const splitter = lineSplitter(onLine, { onDropped });
    const block = Buffer.allocUnsafe(blockSize);
    let position = 0;
    let pause = firstPause;
    let quiet = false;
    for (;;) {
      // Check for the end first, then read: everything written before the end is then read.
      bell.reset();
      let code = readExit(folder);
      const over = code !== null || (quiet && !inProgress());
      for (;;) {
        signal?.throwIfAborted();
        const { bytesRead } = await stdout.read(block, 0, blockSize, position);
        if (bytesRead === 0) break;
        position += bytesRead;
        splitter.push(block.subarray(0, bytesRead));
      }
      if (over) {
        splitter.end();
        // The exit may have been recorded between the two checks.
        code ??= readExit(folder);
        const cancelled = readCancelMark(folder);
        return { code, stderr: readStderr(folder), ...(cancelled && { cancelled }) };
      }
      quiet = !(await bell.rung(pause));
      if (quiet) pause = Math.min(2 * pause, longestPause);
      signal?.throwIfAborted();
    }
  } finally {
    signal?.removeEventListener("abort", bell.ring);
    bell.close();
    await stdout.close();
  }
}

interface Bell {
  ring: () => void;
  reset(): void;
  /** True as soon as it has rung since the reset; false after `pause` ms. */
  rung(pause: number): Promise<boolean>;
  close(): void;
}

/** Rings when the agent wrote or ended. */
function bellOf(folder: string): Bell {
  let rang = false;
  let wake: () => void = () => {};
  const ring = () => {
    rang = true;
    wake();
  };
  const watcher = watcherOf(folder, ring);
  return {
    ring,
    reset() {
      rang = false;
    },
    rung(pause) {
      return new Promise((resolve) => {
        const timer = setTimeout(() => resolve(rang), pause);
        wake = () => {
          clearTimeout(timer);
          resolve(true);
        };
        if (rang) wake();
      });
    },
    close: () => watcher?.close(),
  };
}

/** Null when the system's watch limit is reached; polling then bounds the delay. */
function watcherOf(folder: string, ring: () => void): FSWatcher | null {
  try {
    const watcher = watch(folder, (_, name) => {
      if (name === null || name === "stdout" || name === "exit") ring();
    });
    return watcher.on("error", () => watcher.close());
  } catch {
    return null;
  }
}

// Splits a stream of bytes into lines of text, in linear time.

interface LineSplitter {
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
