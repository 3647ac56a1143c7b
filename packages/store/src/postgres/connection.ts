/** One connection to PostgreSQL, and the transactions in which verbs run on it. */

import { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Db, Dialect, Parameters, Query } from "../verbs/db.ts";
import { drive } from "../verbs/row.ts";
import { isLost } from "./errors.ts";
import { numbered, valuesOf } from "./numbered.ts";
import { SilentServer } from "./silent-server.ts";
import { textFrom } from "./text.ts";

export interface ConnectionOptions {
  readonly url: string;
  /** Milliseconds within which a server has to answer a new connection, and a silent one must be found out; 7,000 unless given. */
  readonly within?: number;
  readonly redact?: Db["redact"];
  readonly home?: string | undefined;
  readonly now?: (() => number) | undefined;
  /** Called after each commit that changed a row. */
  readonly committed?: () => void;
}

/** Rows look as SQLite returns them: numbers for BIGINT and sums, 0 or 1 for BOOLEAN, text for JSON. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.NUMERIC]: Number,
  [pg.types.builtins.BOOL]: (text) => (text === "t" ? 1 : 0),
  [pg.types.builtins.JSON]: textFrom,
  [pg.types.builtins.TEXT]: textFrom,
  [pg.types.builtins.BYTEA]: (text) => new Uint8Array(Buffer.from(text.slice(2), "hex")),
};
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format ?? "text"),
} as pg.CustomTypesConfig;

const dialect: Dialect = {
  eventSeq: "coalesce(CAST(:seq AS BIGINT), next_event())",
  isVisible: "seq < visible_events()",
  duePosition: "nextval('due_position')",
};

const begin = {
  read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  // The statements after it have to see more than it does, so each of them has a snapshot of its own.
  events: "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; SELECT note_event_horizon()",
  write: "BEGIN",
} as const;

export type BoundVerb<Result> = (db: Db) => Query<Result>;

/** Milliseconds after which the system checks whether the other side of an unused connection is there. */
const unused = 10_000;

export class PostgresConnection {
  readonly #client: pg.Client;
  readonly #socket = new Socket();
  readonly #server: SilentServer;
  readonly #within: number;
  #process: number | null = null;
  readonly #redact: Db["redact"];
  readonly #home: Db["home"];
  readonly #now: ConnectionOptions["now"];
  readonly #committed: () => void;
  #isLost = false;
  #isGathering = false;

  static async open(options: ConnectionOptions): Promise<PostgresConnection> {
    const connection = new PostgresConnection(options);
    try {
      await connection.#client.connect();
      const [row] = await connection.query<{ process: number }>(
        "SELECT pg_backend_pid() AS process",
      );
      connection.#process = row!.process;
      return connection;
    } catch (error) {
      // The server waits a minute for a password that the client does not have.
      void connection.close();
      throw error;
    }
  }

  /** A connection that passes the texts of all notifications on a channel to `receive`. */
  static async listen(
    options: ConnectionOptions,
    channel: string,
    receive: (text: string) => void,
  ): Promise<PostgresConnection> {
    const connection = await PostgresConnection.open(options);
    connection.#client.on("notification", ({ payload = "" }) => receive(payload));
    await connection.exec(`LISTEN ${channel}`);
    return connection;
  }

  private constructor(options: ConnectionOptions) {
    const {
      url,
      within = 7000,
      redact = (text) => text,
      now,
      home = null,
      committed = () => {},
    } = options;
    this.#within = within;
    this.#redact = redact;
    this.#now = now;
    this.#home = home;
    this.#committed = committed;
    this.#client = new pg.Client({
      connectionString: url,
      pipeline: true,
      types,
      stream: () => this.#socket,
      connectionTimeoutMillis: within,
      keepAlive: true,
      keepAliveInitialDelayMillis: unused,
    } as pg.ClientConfig);
    this.#server = new SilentServer({
      ...{ url, within, socket: this.#socket },
      process: () => this.#process,
    });
    this.#client.on("error", () => {
      this.#isLost = true;
    });
    this.#client.on("end", () => {
      this.#isLost = true;
    });
  }

  /** True once the server or the network has ended the connection. */
  get isLost(): boolean {
    return this.#isLost;
  }

  read<Result>(verb: BoundVerb<Result>, of: "read" | "events" = "read"): Promise<Result> {
    return this.#transaction(of, async (db) => drive(verb(db)), { alone: true });
  }

  /**
   * Runs the verbs side by side in one transaction, so that their statements share round trips.
   * If one of them fails, nothing is written.
   */
  write<Result>(verbs: readonly BoundVerb<Result>[]): Promise<Result[]> {
    const work = async (db: Db) => {
      const results = await Promise.allSettled(verbs.map((verb) => drive(verb(db))));
      return results.map((result) => {
        if (result.status === "rejected") throw result.reason;
        return result.value;
      });
    };
    return this.#transaction("write", work, { alone: verbs.length === 1 });
  }

  async query<Row>(sql: string, parameters: Parameters = {}): Promise<Row[]> {
    return (await this.#send<Row & pg.QueryResultRow>(sql, parameters)).rows;
  }

  /** Several statements without parameters. */
  async exec(sql: string): Promise<void> {
    await this.#query(sql);
  }

  async close(): Promise<void> {
    this.#isLost = true;
    const ended = this.#client.end().catch(() => undefined);
    // A server that is gone does not confirm it.
    const unconfirmed = pause(this.#within, undefined, { ref: false });
    await Promise.race([ended, unconfirmed]);
    this.#socket.destroy();
  }

  /** `alone`: the work is one verb, which says when nothing but reading is left. */
  async #transaction<Result>(
    kind: keyof typeof begin,
    work: (db: Db) => Promise<Result>,
    { alone = false } = {},
  ): Promise<Result> {
    // The first failure is the reason; statements that were sent after it fail because of it.
    let failure: unknown = null;
    let hasChanged = false;
    const watched = <Value>(sent: Promise<Value>): Promise<Value> => {
      sent.catch((error) => {
        failure ??= error;
      });
      return sent;
    };
    const changing = <Row extends pg.QueryResultRow>(sent: Promise<pg.QueryResult<Row>>) => {
      sent.then(
        ({ command, rowCount }) => {
          hasChanged ||= command !== "SELECT" && (rowCount ?? 0) > 0;
        },
        () => {},
      );
      return watched(sent);
    };
    watched(this.#query(begin[kind]));
    let identified: Promise<TransactionId> | null = null;
    let id: TransactionId | null = null;
    const identify = (asking = transactionId, parameters: Parameters = {}) => {
      const sent = this.#send<TransactionId & pg.QueryResultRow>(asking, parameters);
      identified = watched(
        sent.then(({ rows }) => {
          id = rows[0]!;
          return id;
        }),
      );
      return identified;
    };
    const lock = (select: string, parameters: Parameters) => {
      const locking = lockingAll(select);
      if (identified === null) void identify(idOnceLocked(locking), parameters);
      else void watched(this.#send(locking, parameters));
    };
    let committed: Promise<pg.QueryResult> | null = null;
    const commit = () => {
      committed ??= watched(this.#query("COMMIT"));
      return committed;
    };
    let last: BoundVerb<unknown> | null = null;
    const ending = (read: BoundVerb<unknown>) => {
      // Without its id the server could not say whether a write was committed.
      if (!alone || (kind === "write" && id === null)) return;
      if (kind === "write") last = read;
      void commit();
    };
    let result: Result;
    try {
      result = await work(this.#db({ watched: changing, lock, ending }));
      if (kind === "write") await (identified ?? identify());
    } catch (error) {
      if (last !== null && (this.#isLost || isLost(error)))
        throw new UnconfirmedCommit(id!, { read: last }, error);
      await this.#query("ROLLBACK").catch(() => undefined);
      throw failure ?? error;
    }
    const confirmed = commit();
    if (kind !== "write") return result;
    try {
      const { command } = await confirmed;
      if (command === "COMMIT") {
        if (hasChanged) this.#committed();
        return result;
      }
    } catch (error) {
      if (this.#isLost || isLost(error)) throw new UnconfirmedCommit(id!, { value: result }, error);
      throw error;
    }
    throw failure ?? new Error("PostgreSQL rolled back a transaction at its commit.");
  }

  #db({ watched, lock, ending }: Following): Db {
    const send = <Row>(sql: string, parameters: Parameters = {}) =>
      watched(this.#send<Row & pg.QueryResultRow>(sql, parameters));
    function* query<Row>(
      sql: string,
      parameters?: Parameters,
    ): Query<pg.QueryResult<Row & pg.QueryResultRow>> {
      return (yield send<Row>(sql, parameters)) as pg.QueryResult<Row & pg.QueryResultRow>;
    }
    // biome-ignore lint/correctness/useYield: the result is not waited for.
    function* sent(sql: string, parameters?: Parameters): Query<void> {
      void send(sql, parameters);
    }
    const ownNow = this.#now;
    const db: Db = {
      redact: this.#redact,
      home: this.#home,
      *now() {
        if (ownNow !== undefined) return ownNow();
        const sql =
          "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT) AS now";
        return (yield* query<{ now: number }>(sql)).rows[0]!.now;
      },
      dialect,
      *get<Row>(sql: string, parameters?: Parameters) {
        return (yield* query<Row>(sql, parameters)).rows[0];
      },
      *all<Row>(sql: string, parameters?: Parameters) {
        return (yield* query<Row>(sql, parameters)).rows;
      },
      run: sent,
      *change(sql, parameters) {
        return (yield* query(sql, parameters)).rowCount ?? 0;
      },
      // biome-ignore lint/correctness/useYield: it is not waited for.
      *lock(select, parameters = {}) {
        lock(select, parameters);
      },
      *last<Result>(read: BoundVerb<Result>) {
        const query = read(db);
        const step = query.next();
        ending(read);
        return step.done ? step.value : ((yield drive(query, step)) as Result);
      },
      locked: new Set(),
    };
    return db;
  }

  #send<Row extends pg.QueryResultRow>(
    sql: string,
    parameters: Parameters,
  ): Promise<pg.QueryResult<Row>> {
    const { name, text, names } = numbered(sql);
    return this.#query<Row>({ name, text, values: valuesOf(names, parameters) });
  }

  #query<Row extends pg.QueryResultRow>(
    statement: string | pg.QueryConfig,
  ): Promise<pg.QueryResult<Row>> {
    this.#gather();
    return this.#server.watch(this.#client.query<Row>(statement));
  }

  /**
   * Statements of one iteration of the event loop are written together: each write of its own would be a call of the
   * system here, and wake up the server.
   */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }
}

export interface TransactionId {
  readonly number: string;
  /** The run of the server: after a crash, the next one gives the numbers of lost transactions again. */
  readonly run: string;
  /** What that run adds to the numbers of events, from which the next run follows. */
  readonly base: number;
}

const transactionId = `SELECT pg_current_xact_id()::TEXT AS number, server_run() AS run, event_base AS base
  FROM incarnation`;

function lockingAll(select: string): string {
  return `SELECT pg_advisory_xact_lock(hashtextextended(name, 0))
    FROM (SELECT name FROM (${select}) AS named (name) ORDER BY name) AS sorted`;
}

/** A transaction gets its id when it has its first lock, so that numbers of events follow the order of locks. */
function idOnceLocked(locking: string): string {
  return `WITH locked AS MATERIALIZED (${locking})
    ${transactionId}, (SELECT count(*) FROM locked) AS all_locked`;
}

/** What a transaction follows of the statements of its verbs. */
interface Following {
  readonly watched: <Row extends pg.QueryResultRow>(
    sent: Promise<pg.QueryResult<Row>>,
  ) => Promise<pg.QueryResult<Row>>;
  readonly lock: (select: string, parameters: Parameters) => void;
  /** Called when the last statements of a verb were sent. */
  readonly ending: (read: BoundVerb<unknown>) => void;
}

/** The connection was lost at the commit. Only the server knows whether it was done. */
export class UnconfirmedCommit extends Error {
  readonly transaction: TransactionId;
  /** What the verbs return if the transaction was committed, or how that is read. */
  readonly result: { readonly value: unknown } | { readonly read: BoundVerb<unknown> };

  constructor(transaction: TransactionId, result: UnconfirmedCommit["result"], cause: unknown) {
    super("The connection was lost at the commit.", { cause });
    this.transaction = transaction;
    this.result = result;
  }
}
