/** Passphrases: set by a person, kept as a salted hash, and asked for by gates that name one. */

import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { DeniedError } from "@reprise/core/errors/errors";
import { command, option } from "@reprise/core/errors/hint";
import { checkNewPassphrase, checkPassphraseName } from "@reprise/core/session/passphrase";
import type { Store } from "@reprise/store/store";
import type { InboxItem } from "@reprise/workflow/inbox-item";
import type { Engine } from "../engine.ts";

/** 64 MiB and a few tenths of a second for each try. */
const cost = { N: 2 ** 16, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };
const length = 32;

type PassphraseStore = Pick<
  Store,
  "listPassphrases" | "setPassphrase" | "tryPassphrase" | "clearPassphraseTries"
>;

const derive = promisify<string, Buffer, number, typeof cost, Buffer>(scrypt);

/** `current`: the passphrase set now, if there is one. */
export async function setPassphrase(
  engine: { readonly store: PassphraseStore } & Pick<Engine, "now">,
  {
    name,
    passphrase,
    current,
    by,
  }: { name: string; passphrase: string | null; current: string | null; by: string },
): Promise<void> {
  checkPassphraseName(name);
  if (passphrase !== null) checkNewPassphrase(passphrase);
  const known = await engine.store.listPassphrases();
  if (known.some((each) => each.name === name)) await check(engine, name, current);
  const hash = passphrase === null ? null : await hashOf(passphrase);
  await engine.store.setPassphrase({ name, hash, by, at: engine.now() });
}

/** @throws DeniedError if the gate asks for a passphrase and this is not it. */
export async function checkPassphrase(
  engine: Pick<Engine, "store" | "now">,
  { title, passphrase: name }: InboxItem,
  given: string | null,
): Promise<void> {
  if (name === null) return;
  if (given === null)
    throw new DeniedError(
      "passphrase-needed",
      `"${title}" asks for the passphrase ${name}.`,
      `Answer it on a terminal, on the page, or with ${option("passphrase")}. Nothing was changed.`,
    );
  await check(engine, name, given);
}

async function check(
  { store }: { readonly store: PassphraseStore },
  name: string,
  given: string | null,
): Promise<void> {
  if (given === null) throw wrong(name);
  // Counted before it is checked, so that many tries at once cannot bypass the wait.
  const tried = await store.tryPassphrase(name);
  if (tried === null)
    throw new DeniedError(
      "no-passphrase",
      `The passphrase ${name} is not set in this home.`,
      `Set it with ${command("passphrase set", name)}.`,
    );
  if ("blockedUntil" in tried)
    throw new DeniedError(
      "passphrase-blocked",
      `There were too many wrong passphrases for ${name}.`,
      `Try again after ${new Date(tried.blockedUntil).toISOString()}. Nothing was changed.`,
    );
  if (!(await isSame(given, tried.hash))) throw wrong(name);
  await store.clearPassphraseTries(name);
}

function wrong(name: string): DeniedError {
  return new DeniedError(
    "wrong-passphrase",
    `That is not the passphrase ${name}.`,
    "Nothing was changed; try again.",
  );
}

async function hashOf(passphrase: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(passphrase.normalize("NFKC"), salt, length, cost);
  const { N, r, p } = cost;
  return ["scrypt", N, r, p, salt.toString("base64url"), key.toString("base64url")].join("$");
}

async function isSame(passphrase: string, hash: string): Promise<boolean> {
  const [, N, r, p, salt = "", kept = ""] = hash.split("$");
  const wanted = Buffer.from(kept, "base64url");
  const chosen = { ...cost, N: Number(N), r: Number(r), p: Number(p) };
  const salted = Buffer.from(salt, "base64url");
  const key = await derive(passphrase.normalize("NFKC"), salted, wanted.length, chosen);
  return timingSafeEqual(key, wanted);
}
