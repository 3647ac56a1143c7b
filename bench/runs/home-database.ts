/** The database of a home, read past Reprise, whichever it is. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";

/** Numbers as SQLite returns them. */
const types = {
  getTypeParser: (oid: number) =>
    oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC
      ? Number
      : pg.types.getTypeParser(oid),
} as pg.CustomTypesConfig;

interface Connection {
  readonly all: (sql: string) => Promise<unknown[]>;
  readonly close: () => Promise<void>;
}

export class HomeDatabase implements AsyncDisposable {
  readonly #connection: Connection;

  /** `url`: the address of a database on a server; undefined for one in the home. */
  static async open(home: string, url: string | undefined): Promise<HomeDatabase> {
    return new HomeDatabase(url === undefined ? openFile(home) : await connect(url));
  }

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  async all<Row>(sql: string): Promise<Row[]> {
    return (await this.#connection.all(sql)) as Row[];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#connection.close();
  }
}

function openFile(home: string): Connection {
  const database = new DatabaseSync(join(home, "reprise.db"), { readOnly: true });
  return {
    all: async (sql) => database.prepare(sql).all(),
    close: async () => database.close(),
  };
}

async function connect(connectionString: string): Promise<Connection> {
  const client = new pg.Client({ connectionString, types });
  await client.connect();
  return {
    all: async (sql) => (await client.query(sql)).rows,
    close: () => client.end(),
  };
}
