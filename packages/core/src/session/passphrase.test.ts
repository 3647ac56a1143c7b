import { expect, test } from "vitest";
import { checkNewPassphrase, checkPassphraseName, passphraseWait } from "./passphrase.ts";

test("V20: wrong passphrases hold up the next one for longer and longer", () => {
  const waits = [0, 1, 2, 3, 4, 5, 9, 10, 1000].map(passphraseWait);
  expect(waits).toEqual([0, 0, 0, 10_000, 20_000, 40_000, 640_000, 900_000, 900_000]);
});

test("a name and a passphrase that cannot be used are refused", () => {
  for (const name of ["", "a b", "../x", "-x", "x".repeat(65)])
    expect(() => checkPassphraseName(name)).toThrow(/is not a valid passphrase name/);
  for (const text of ["", "1234567", "x".repeat(1025)])
    expect(() => checkNewPassphrase(text)).toThrow(/8 to 1024 characters/);
});
