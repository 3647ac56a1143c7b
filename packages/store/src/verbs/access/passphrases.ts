/** Passphrases that gates ask for: their hashes, and the number of wrong tries. */

import { passphraseWait } from "@reprise/core/session/passphrase";
import { appendEvent } from "../events/events.ts";
import { lockName } from "../row.ts";
import type { Verb } from "../verb.ts";

interface PassphraseRow {
  name: string;
  hash: string;
  set_at: number;
  failures: number;
  tried_at: number;
}

const one = "SELECT name, hash, set_at, failures, tried_at FROM passphrase WHERE name = :name";

export const setPassphrase: Verb<"setPassphrase"> = function* (db, { name, hash, by, at }) {
  const type = hash === null ? "passphrase.removed" : "passphrase.set";
  if (hash === null) yield* db.run("DELETE FROM passphrase WHERE name = :name", { name });
  else
    yield* db.run(
      `INSERT INTO passphrase (name, hash, set_at, failures, tried_at)
       VALUES (:name, :hash, :at, 0, 0)
       ON CONFLICT (name) DO UPDATE SET hash = :hash, set_at = :at, failures = 0, tried_at = 0`,
      { name, hash, at },
    );
  yield* appendEvent(db, `passphrase:${name}`, { type, data: { by } }, at);
};

export const listPassphrases: Verb<"listPassphrases"> = function* (db) {
  return (yield* db.all<PassphraseRow>("SELECT name, set_at FROM passphrase ORDER BY name")).map(
    ({ name, set_at: setAt }) => ({ name, setAt }),
  );
};

export const tryPassphrase: Verb<"tryPassphrase"> = function* (db, name) {
  yield* lockName(db, `passphrase:${name}`);
  const at = yield* db.now();
  const row = yield* db.get<PassphraseRow>(one, { name });
  if (row === undefined) return null;
  // If the clock was set back, it must not stay locked for longer than one wait.
  const since = Math.min(row.tried_at, at);
  const blockedUntil = since + passphraseWait(row.failures);
  if (at < blockedUntil) return { blockedUntil };
  const failures = row.failures + 1;
  yield* db.run("UPDATE passphrase SET failures = :failures, tried_at = :at WHERE name = :name", {
    name,
    failures,
    at,
  });
  return { hash: row.hash };
};

export const clearPassphraseTries: Verb<"clearPassphraseTries"> = function* (db, name) {
  yield* db.run("UPDATE passphrase SET failures = 0, tried_at = 0 WHERE name = :name", { name });
};
