/** Reads an agent's output from its spool while it grows, until the agent has ended. */

import { type FSWatcher, watch } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Exit } from "../provider.ts";
import type { FollowOptions } from "./launcher.ts";
import { lineSplitter } from "./lines.ts";
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
