/** Names of passphrases, and the wait after wrong ones. */

import { UsageError } from "../errors/errors.ts";

export const passphraseGrammar = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** A shorter passphrase could be guessed from its hash too fast. */
const shortest = 8;

export function checkPassphraseName(name: string): void {
  if (passphraseGrammar.test(name)) return;
  throw new UsageError(
    "bad-name",
    `"${name.slice(0, 80)}" is not a valid passphrase name.`,
    "Use 1 to 64 letters, digits, dots, underscores or dashes, beginning with a letter or a digit.",
  );
}

export function checkNewPassphrase(passphrase: string): void {
  if (passphrase.length >= shortest && passphrase.length <= 1024) return;
  throw new UsageError(
    "bad-passphrase",
    `A passphrase has ${shortest} to 1024 characters; yours has ${passphrase.length}.`,
    "Choose another one. Nothing was changed.",
  );
}

const free = 3;
const first = 10_000;
const longest = 15 * 60_000;

/** Milliseconds to wait after this many wrong passphrases in a row. */
export function passphraseWait(failures: number): number {
  if (failures < free) return 0;
  return Math.min(first * 2 ** Math.min(failures - free, 20), longest);
}
