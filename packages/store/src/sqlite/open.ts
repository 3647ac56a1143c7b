/** The SQLite implementation of the Store contract: one file, shared by any number of processes. */

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Durability, Store } from "../store.ts";
import { acceptCall } from "./accept-call.ts";
import { advanceRun } from "./advance-run.ts";
import { answerItem } from "./answer-item.ts";
import { answerTurn } from "./answer-turn.ts";
import { appendEvents } from "./append-events.ts";
import { archiveSession } from "./archive-session.ts";
import { backup } from "./backup.ts";
import { beginCall } from "./begin-call.ts";
import { check } from "./check.ts";
import { checkWritable } from "./check-writable.ts";
import { readCheckpoints, withPacked } from "./checkpoint.ts";
import { claimDue } from "./claim-due.ts";
import { claimTurn } from "./claim-turn.ts";
import { compactSession } from "./compact-session.ts";
import { countInbox } from "./count-inbox.ts";
import { createAgent } from "./create-agent.ts";
import { createClass } from "./create-class.ts";
import { createRun } from "./create-run.ts";
import { createSession } from "./create-session.ts";
import { createToken } from "./create-token.ts";
import { createWebhook } from "./create-webhook.ts";
import { createDatabaseFile } from "./database-file.ts";
import { Db, type DbOptions } from "./db.ts";
import { dropCall } from "./drop-call.ts";
import { endAttempt } from "./end-attempt.ts";
import { emptyError, storeError } from "./errors.ts";
import { expireItem } from "./expire-item.ts";
import { finishTurn } from "./finish-turn.ts";
import { holdSession } from "./hold-session.ts";
import { beat, listHosts, readHost } from "./hosts.ts";
import { importMessages } from "./import-messages.ts";
import { listPins } from "./list-pins.ts";
import { listRetention } from "./list-retention.ts";
import { load } from "./load.ts";
import { createLogin, endLogin, endLogins, readLogin } from "./logins.ts";
import { migrate, requireKnownSchema } from "./migrations.ts";
import { movePin } from "./move-pin.ts";
import { openTurn } from "./open-turn.ts";
import {
  clearPassphraseTries,
  listPassphrases,
  setPassphrase,
  tryPassphrase,
} from "./passphrases.ts";
import { readProbe, writeProbe } from "./probe.ts";
import { purgeSession } from "./purge-session.ts";
import { queueDeliveries } from "./queue-deliveries.ts";
import { listAgents, readAgent } from "./read-agents.ts";
import { listClasses, readClass } from "./read-classes.ts";
import { listDeliveries, readDelivery } from "./read-deliveries.ts";
import { lastEvent, readEvents } from "./read-events.ts";
import { findItems, listItems, readItem } from "./read-items.ts";
import { countRuns, findRuns, listActiveRuns, listRuns, readRun } from "./read-runs.ts";
import { countSessions, listSessions, readSession } from "./read-sessions.ts";
import { listTokens, readToken } from "./read-tokens.ts";
import {
  findQuestions,
  findTurns,
  listOpenTurns,
  listQuestions,
  listTurns,
  readTurn,
} from "./read-turns.ts";
import { listWebhooks, readWebhook } from "./read-webhooks.ts";
import { rebasePins } from "./rebase-pins.ts";
import { isBoot, recordBoot } from "./record-boot.ts";
import { recordDecision } from "./record-decision.ts";
import { recordLaunch } from "./record-launch.ts";
import { recordRestore } from "./record-restore.ts";
import { recordRunFailure } from "./record-run-failure.ts";
import { recordWaiting } from "./record-waiting.ts";
import { releaseSession } from "./release-session.ts";
import { removeWebhook } from "./remove-webhook.ts";
import { reopenTurn } from "./reopen-turn.ts";
import { replayDelivery } from "./replay-delivery.ts";
import { requeueTurn } from "./requeue-turn.ts";
import { reviveSession } from "./revive-session.ts";
import { revokeToken } from "./revoke-token.ts";
import { setAgent } from "./set-agent.ts";
import { setClass } from "./set-class.ts";
import { setSession } from "./set-session.ts";
import { settleCall } from "./settle-call.ts";
import { settleDelivery } from "./settle-delivery.ts";
import { settleDue } from "./settle-due.ts";
import { signalRun } from "./signal-run.ts";
import { freeSlot, listSlots, takeSlot } from "./slots.ts";
import { sumUsage } from "./sum-usage.ts";
import { takeOver } from "./take-over.ts";
import { takeRun } from "./take-run.ts";
import { readTranscript } from "./transcript.ts";
import { useToken } from "./use-token.ts";

/**
 * Opens the database, and creates it if there is none.
 *
 * @throws StoreError `store-newer`, `store-corrupt`, `store-busy`, `store-full`,
 * `store-not-writable` or `store-io`; then nothing on the disk is changed.
 */
export async function openSqliteStore(path: string, options: DbOptions = {}): Promise<Store> {
  const file = resolve(path);
  try {
    if (!existsSync(file)) createDatabaseFile(file, (draft) => connect(draft, options).close());
    if (statSync(file).size === 0) throw emptyError(file);
    return storeOn(connect(file, options));
  } catch (error) {
    throw storeError(error, file);
  }
}

function connect(file: string, options: DbOptions): Db {
  // SQLite would open a read-only file and fail only at the first write.
  accessSync(dirname(file), constants.W_OK | constants.X_OK);
  accessSync(file, constants.R_OK | constants.W_OK);
  const db = new Db(file, options);
  try {
    requireKnownSchema(db);
    db.exec("PRAGMA journal_mode = WAL");
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function storeOn(db: Db): Store {
  const read =
    <Input extends unknown[], Output>(verb: (db: Db, ...input: Input) => Output) =>
    async (...input: Input): Promise<Output> =>
      db.read(() => verb(db, ...input));
  const writeAs =
    (durability: Durability) =>
    <Input extends unknown[], Output>(verb: (db: Db, ...input: Input) => Output) =>
    async (...input: Input): Promise<Output> =>
      db.write(() => verb(db, ...input), durability);
  const write = writeAs("durable");
  const writeAtLevel =
    <Input extends { durability?: Durability }, Output>(verb: (db: Db, input: Input) => Output) =>
    async (input: Input): Promise<Output> =>
      db.write(() => verb(db, input), input.durability);
  // A lease is only as durable as the process that holds it: a power loss takes both.
  const writeBuffered = writeAs("buffered");
  // Many runs take a step at once, so their writes share a transaction.
  const writeTogether =
    <Input extends { durability?: Durability }, Output>(verb: (db: Db, input: Input) => Output) =>
    (input: Input): Promise<Output> =>
      db.writeTogether(() => verb(db, input), input.durability);

  return {
    check: async (options) => db.inspect(() => check(db, options)),
    checkWritable: async () => checkWritable(db),
    close: async () => db.close(),
    backup: (path) => backup(db, path),
    rebasePins: write(rebasePins),

    createAgent: write(createAgent),
    setAgent: write(setAgent),
    readAgent: read(readAgent),
    listAgents: read(listAgents),
    createClass: write(createClass),
    setClass: write(setClass),
    readClass: read(readClass),
    listClasses: read(listClasses),

    listSessions: read(listSessions),
    countSessions: read(countSessions),
    readSession: read(readSession),
    compactSession: write(compactSession),
    listPins: read(listPins),
    load: read(load),
    purgeSession: write(purgeSession),
    createSession: (creation) => write(createSession)(withPacked(creation)),
    movePin: write(movePin),
    holdSession: write(holdSession),
    releaseSession: write(releaseSession),
    archiveSession: write(archiveSession),
    reviveSession: write(reviveSession),
    setSession: write(setSession),
    listRetention: read(listRetention),

    openTurn: writeAtLevel(openTurn),
    reopenTurn: write(reopenTurn),
    claimTurn: writeBuffered(claimTurn),
    // A released turn is left to other processes, and the caller relies on it.
    takeOver: (take) => (take.owner === null ? write : writeBuffered)(takeOver)(take),
    recordDecision: writeAtLevel(recordDecision),
    recordLaunch: write(recordLaunch),
    recordWaiting: writeBuffered(recordWaiting),
    requeueTurn: write(requeueTurn),
    endAttempt: (end) => write(endAttempt)(withPacked(end)),
    importMessages: (record) => write(importMessages)(withPacked(record)),
    recordRestore: write(recordRestore),
    finishTurn: (finish) => write(finishTurn)(withPacked(finish)),
    answerTurn: write(answerTurn),

    readTurn: read(readTurn),
    findTurns: read(findTurns),
    listTurns: read(listTurns),
    listOpenTurns: read(listOpenTurns),
    findQuestions: read(findQuestions),
    listQuestions: read(listQuestions),
    readTranscript: read(readTranscript),
    readCheckpoints: read(readCheckpoints),

    sumUsage: read(sumUsage),

    setPassphrase: write(setPassphrase),
    listPassphrases: read(listPassphrases),
    tryPassphrase: write(tryPassphrase),
    clearPassphraseTries: write(clearPassphraseTries),
    createToken: write(createToken),
    readToken: read(readToken),
    listTokens: read(listTokens),
    useToken: writeBuffered(useToken),
    revokeToken: write(revokeToken),
    createLogin: write(createLogin),
    readLogin: read(readLogin),
    endLogin: write(endLogin),
    endLogins: write(endLogins),
    beginCall: write(beginCall),
    acceptCall: write(acceptCall),
    settleCall: write(settleCall),
    dropCall: write(dropCall),

    createWebhook: write(createWebhook),
    readWebhook: read(readWebhook),
    listWebhooks: read(listWebhooks),
    removeWebhook: write(removeWebhook),
    queueDeliveries: write(queueDeliveries),
    settleDelivery: write(settleDelivery),
    replayDelivery: write(replayDelivery),
    readDelivery: read(readDelivery),
    listDeliveries: read(listDeliveries),

    readProbe: read(readProbe),
    writeProbe: write(writeProbe),

    appendEvents: write(appendEvents),
    readEvents: read(readEvents),
    lastEvent: read(lastEvent),
    // Read first, so that a start usually does not wait for a writer.
    recordBoot: async (record) =>
      db.read(() => isBoot(db, record.boot)) ? false : write(recordBoot)(record),
    takeSlot: writeBuffered(takeSlot),
    freeSlot: writeBuffered(freeSlot),
    listSlots: read(listSlots),
    beat: writeBuffered(beat),
    readHost: read(readHost),
    listHosts: read(listHosts),
    claimDue: write(claimDue),
    settleDue: write(settleDue),

    createRun: writeTogether(createRun),
    readRun: read(readRun),
    findRuns: read(findRuns),
    listRuns: read(listRuns),
    countRuns: read(countRuns),
    listActiveRuns: read(listActiveRuns),
    takeRun: writeBuffered(takeRun),
    advanceRun: writeTogether(advanceRun),
    recordRunFailure: write(recordRunFailure),
    signalRun: write(signalRun),
    answerItem: write(answerItem),
    expireItem: write(expireItem),
    readItem: read(readItem),
    findItems: read(findItems),
    listItems: read(listItems),
    countInbox: read(countInbox),
  };
}
