/**
 * Loaded into the command line before it starts (`node --import`), to bring about what takes a full
 * disk or a long wait otherwise: a database with a maximum number of pages, and a shorter
 * wait for another writer. The errors are SQLite's own.
 */

import { DatabaseSync } from "node:sqlite";

const { LIMIT_PAGES, LIMIT_BUSY_TIMEOUT } = process.env;

const limited = new WeakSet<DatabaseSync>();
const { prepare } = DatabaseSync.prototype;

DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...input) {
  if (!limited.has(this)) {
    limited.add(this);
    if (LIMIT_PAGES) this.exec(`PRAGMA max_page_count = ${Number(LIMIT_PAGES)}`);
    if (LIMIT_BUSY_TIMEOUT) this.exec(`PRAGMA busy_timeout = ${Number(LIMIT_BUSY_TIMEOUT)}`);
  }
  return prepare.apply(this, input);
};
