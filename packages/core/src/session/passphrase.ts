/** Names of passphrases, and how long wrong ones hold up the next. */

import { UsageError } from "../errors/errors.ts";

export const passphraseGrammar = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** At least this many characters: the hash of a shorter one is guessed too fast. */
const shortest = 8;

export function checkPassphraseName(name: string): void {
  if (passphraseGrammar.test(name)) return;
  throw new UsageError(
    "bad-name",
    `"${name.slice(0, 80)}" is not a passphrase's name.`,
    "Use 1 to 64 letters, digits, dots, underscores or dashes, beginning with a letter or a digit.",
  );
}

export function checkNewPassphrase(passphrase: string): void {
  if (passphrase.length >= shortest && passphrase.length <= 1024) return;
  throw new UsageError(
    "bad-passphrase",
    `A passphrase has ${shortest} to 1024 characters; this one has ${passphrase.length}.`,
    "Choose another one; nothing was changed.",
  );
}

const free = 3;
const first = 10_000;
const longest = 15 * 60_000;

/** Milliseconds from the last of so many wrong ones in a row until another one is looked at. */
export function passphraseWait(failures: number): number {
  if (failures < free) return 0;
  return Math.min(first * 2 ** Math.min(failures - free, 20), longest);
}
