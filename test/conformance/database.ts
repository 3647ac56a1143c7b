/** Changes Reprise's database behind its back, as an editor, a copied home or a bad disk would. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageDigest } from "@reprise/core/conversation/slice";
import { readStoreRecord } from "@reprise/engine/home";
import type { Value } from "@reprise/store/verbs/db";
import { change, exec, query } from "../postgres/sync-query.ts";

type Row = Record<string, Value>;

export class Database implements Disposable {
  /** The address of the home's database on a PostgreSQL server, or its own database. */
  readonly #database: string | DatabaseSync;

  constructor({ home }: { readonly home: string }) {
    this.#database =
      readStoreRecord(home) ?? new DatabaseSync(join(home, "reprise.db"), { timeout: 5000 });
  }

  [Symbol.dispose](): void {
    if (typeof this.#database !== "string") this.#database.close();
  }

  /** Insists that there are any rows to change. */
  change(sql: string, values: Row = {}): void {
    const changes =
      typeof this.#database === "string"
        ? change(this.#database, sql, values)
        : this.#database.prepare(sql).run(values).changes;
    if (changes === 0) throw new Error(`nothing was changed by: ${sql}`);
  }

  rows<R = Row>(sql: string, values: Row = {}): R[] {
    if (typeof this.#database === "string") return query(this.#database, sql, values);
    return this.#database.prepare(sql).all(values) as R[];
  }

  /** Another text for a message of the conversation, as an edit would leave it. */
  editMessage(containing: string, text: string): void {
    const [message] = this.rows<{ id: string; role: string }>(
      "SELECT id, role FROM message WHERE instr(text, :containing) > 0 ORDER BY seq",
      { containing },
    );
    const digest = messageDigest(message!.role, text, sha256);
    this.change("UPDATE message SET text = :text, digest = :digest WHERE id = :id", {
      id: message!.id,
      text,
      digest,
    });
  }

  /** A second key that continues the same provider session. */
  aliasSession(from: string, to: string): void {
    this.change(
      `INSERT INTO session (key, conversation, agent, provider, epoch, turns, created_at, updated_at)
       SELECT :to, :to, agent, provider, epoch, turns, created_at, updated_at
       FROM session WHERE key = :from`,
      { from, to },
    );
    this.change(
      `INSERT INTO pin (key, agent, provider, handle, data)
       SELECT :to, agent, provider, handle, data FROM pin WHERE key = :from`,
      { from, to },
    );
    this.change(
      `INSERT INTO message
         (conversation, id, seq, role, agent, provider, turn, digest, origin, opening, at, text)
       SELECT :to, id, seq, role, agent, provider, turn, digest, origin, opening, at, text
       FROM message WHERE conversation = :from`,
      { from, to },
    );
  }

  /** The turn's owner looks dead from now on, although it lives. */
  disownTurn(id: string): void {
    this.change("UPDATE turn SET owner = json_set(owner, '$.start', 'long ago') WHERE id = :id", {
      id,
    });
  }

  /** What the newest checkpoint added is damaged: `UPDATE blob SET bytes = …`. */
  damageNewestCheckpoint(bytes: string): void {
    this.change(
      `UPDATE blob SET bytes = ${bytes} WHERE sha256 IN (
         SELECT sha256 FROM checkpoint_part
         WHERE number = (SELECT max(number) FROM checkpoint))`,
    );
  }

  /** From now on the checkpoints are another agent's. */
  giveCheckpointsTo(agent: string): void {
    if (typeof this.#database === "string")
      exec(this.#database, "SET session_replication_role = replica");
    else this.#database.exec("PRAGMA foreign_keys = OFF");
    this.change("UPDATE checkpoint SET agent = :agent", { agent });
    this.change("UPDATE checkpoint_part SET agent = :agent", { agent });
  }

  dropCheckpoints(): void {
    this.change("DELETE FROM checkpoint_part");
    this.change("DELETE FROM checkpoint");
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
