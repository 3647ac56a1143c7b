/** What protects a home while it is moved to another database; a part of `mutations.ts`. */

import type { Mutation } from "./mutations.ts";

const transfer = "packages/store/src/transfer";
const tests = [`${transfer}/transfer.test.ts`];

export const transferMutations: readonly Mutation[] = [
  {
    name: "transfer: a database with a part of a home is not opened",
    file: "packages/store/src/postgres/transfer-record.ts",
    find: 'if (record?.state === "copying") throw incomplete(database, record);',
    replace: "",
    tests,
  },
  {
    name: "transfer: new events get numbers above the copied ones",
    file: "packages/store/src/postgres/incarnation.ts",
    find: "UPDATE incarnation SET id = ''",
    replace: "SELECT 1",
    tests,
  },
  {
    name: "transfer: new deadlines get positions after the copied ones",
    file: `${transfer}/target.ts`,
    find: "SELECT setval('due_position', (SELECT greatest(1, max(position)) FROM due));",
    replace: "",
    tests,
  },
  {
    name: "transfer: a copy that differs is not used",
    file: `${transfer}/transfer.ts`,
    find: "if (there.digest === digest.digest) continue;",
    replace: "if (there.digest !== '') continue;",
    tests,
  },
  {
    name: "transfer: a source that has changed is copied from the beginning",
    file: `${transfer}/target.ts`,
    find: "else if (record.source === source) return record;",
    replace: "else return record;",
    tests,
  },
  {
    name: "transfer: the source is locked",
    file: `${transfer}/source.ts`,
    find: 'database.exec("BEGIN EXCLUSIVE");',
    replace: "",
    tests,
  },
  {
    name: "transfer: a process that waited for a moved home does not use its old database",
    file: "packages/engine/src/home-store.ts",
    find: "if (readStoreRecord(home.path) === null) return opened;",
    replace: "if (home.path !== '') return opened;",
    tests: ["packages/engine/src/migrate/move-home.test.ts"],
  },
];
