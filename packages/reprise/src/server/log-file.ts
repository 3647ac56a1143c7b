/** Writes the log to a file of JSON lines, and starts a new file when it gets large. */

import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from "node:fs";

/** Bytes after which a new file is started. */
const defaultMaxSize = 10 * 1024 * 1024;
/** Older files that are kept: `server.log.1` is the newest of them. */
const keptLogs = 3;

export class LogFile {
  readonly #path: string;
  readonly #maxSize: number;
  #file: number;
  #size: number;

  constructor(path: string, maxSize = defaultMaxSize) {
    this.#path = path;
    this.#maxSize = maxSize;
    [this.#file, this.#size] = open(path);
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#size > 0 && this.#size + bytes.byteLength > this.#maxSize) this.#rotate();
    this.#size += bytes.byteLength;
    try {
      writeSync(this.#file, bytes);
    } catch {
      // A full disk must not end the server; the line is lost.
    }
  }

  /** Continues in a new file after another program has moved this one away. */
  reopen(): void {
    closeSync(this.#file);
    [this.#file, this.#size] = open(this.#path);
  }

  close(): void {
    closeSync(this.#file);
  }

  #rotate(): void {
    for (let number = keptLogs; number > 0; number -= 1) {
      const older = number === 1 ? this.#path : `${this.#path}.${number - 1}`;
      try {
        renameSync(older, `${this.#path}.${number}`);
      } catch {
        // There is no such file yet.
      }
    }
    this.reopen();
  }
}

function open(path: string): [file: number, size: number] {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const file = openSync(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  return [file, fstatSync(file).size];
}
