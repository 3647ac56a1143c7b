/** The verbs of the Store contract by noun: what each reads or writes, and how durable it is. */

import type { AccessStore } from "../contract/access.ts";
import type { AgentStore } from "../contract/agents.ts";
import type { CallStore } from "../contract/calls.ts";
import type { CheckpointStore } from "../contract/checkpoints.ts";
import type { DatabaseStore } from "../contract/database.ts";
import type { DueStore } from "../contract/due.ts";
import type { EventStore } from "../contract/events.ts";
import type { HostStore } from "../contract/hosts.ts";
import type { InboxStore } from "../contract/inbox.ts";
import type { KeptStore } from "../contract/kept.ts";
import type { LimitStore } from "../contract/limits.ts";
import type { RunStore } from "../contract/runs.ts";
import type { SessionStore } from "../contract/sessions.ts";
import type { TurnStore } from "../contract/turns.ts";
import type { UsageStore } from "../contract/usage.ts";
import type { WebhookStore } from "../contract/webhooks.ts";
import type { Store } from "../store.ts";
import { createLogin, endLogin, endLogins, readLogin } from "./access/logins.ts";
import {
  clearPassphraseTries,
  listPassphrases,
  setPassphrase,
  tryPassphrase,
} from "./access/passphrases.ts";
import {
  createToken,
  listTokens,
  readToken,
  revokeToken,
  rotateToken,
  useToken,
} from "./access/tokens.ts";
import { createAgent, findAgent, listAgents, readAgent, setAgent } from "./agents/agents.ts";
import { createClass, listClasses, readClass, setClass } from "./agents/classes.ts";
import { acceptCall, beginCall, dropCall, settleCall } from "./calls/calls.ts";
import { readCheckpoints, withPacked } from "./checkpoints/checkpoint.ts";
import { claimDue, settleDue } from "./due/due.ts";
import { appendEvents, lastEvent, readEvents, recordEvent } from "./events/events.ts";
import {
  beat,
  freeSlot,
  listHosts,
  listOwners,
  listSlots,
  readHost,
  readProbe,
  readSecret,
  recordHome,
  recordSecret,
  takeSlot,
  writeProbe,
} from "./hosts/hosts.ts";
import { countInbox, findItems, listItems, readItem } from "./inbox/items.ts";
import { answerItem, expireItem } from "./inbox/resolve-item.ts";
import {
  countKept,
  findKept,
  forgetKept,
  keepBytes,
  keepSessions,
  listKept,
  listKnownFiles,
  markKept,
  packAll,
  readKept,
  readKeptBytes,
  readProtection,
  recordScan,
  setProtection,
  withPackedParts,
} from "./kept/kept.ts";
import { listLimits } from "./limits/limits.ts";
import { advanceRun, createRun, recordRunFailure, signalRun, takeRun } from "./runs/advance-run.ts";
import { countRuns, findRuns, listActiveRuns, listRuns, readRun } from "./runs/run-row.ts";
import { createSession } from "./sessions/create-session.ts";
import {
  archiveSession,
  holdSession,
  listRetention,
  purgeSession,
  releaseSession,
  reviveSession,
} from "./sessions/keep-session.ts";
import { compactSession, findPinned, listPins, movePin, rebasePins } from "./sessions/pins.ts";
import { countSessions, listSessions, readSession } from "./sessions/read-sessions.ts";
import { setSession } from "./sessions/set-session.ts";
import { load, readTranscript } from "./sessions/transcript.ts";
import type { Transactions } from "./transactions.ts";
import { answerTurn } from "./turns/answer-turn.ts";
import {
  beginTurn,
  claimTurn,
  openTurn,
  reopenTurn,
  requeueTurn,
  takeOver,
} from "./turns/open-turn.ts";
import {
  endAttempt,
  finishTurn,
  importMessages,
  recordDecision,
  recordLaunch,
  recordRestore,
  recordWaiting,
} from "./turns/record-turn.ts";
import {
  findQuestions,
  findTurns,
  listOpenTurns,
  listQuestions,
  listTurns,
  readTurn,
} from "./turns/turn-row.ts";
import { sumUsage } from "./usage/sum-usage.ts";
import {
  listDeliveries,
  queueDeliveries,
  readDelivery,
  replayDelivery,
  settleDelivery,
} from "./webhooks/deliveries.ts";
import { createWebhook, listWebhooks, readWebhook, removeWebhook } from "./webhooks/webhooks.ts";

export function storeOn(transactions: Transactions): Omit<Store, keyof DatabaseStore> {
  return {
    ...agentStore(transactions),
    ...sessionStore(transactions),
    ...turnStore(transactions),
    ...checkpointStore(transactions),
    ...keptStore(transactions),
    ...usageStore(transactions),
    ...runStore(transactions),
    ...inboxStore(transactions),
    ...limitStore(transactions),
    ...eventStore(transactions),
    ...dueStore(transactions),
    ...accessStore(transactions),
    ...callStore(transactions),
    ...webhookStore(transactions),
    ...hostStore(transactions),
  };
}

const accessStore = ({ read, write, writeBuffered }: Transactions): AccessStore => ({
  createToken: write(createToken),
  readToken: read(readToken),
  listTokens: read(listTokens),
  useToken: writeBuffered(useToken),
  rotateToken: write(rotateToken),
  revokeToken: write(revokeToken),
  createLogin: write(createLogin),
  readLogin: read(readLogin),
  endLogin: write(endLogin),
  endLogins: write(endLogins),
  setPassphrase: write(setPassphrase),
  listPassphrases: read(listPassphrases),
  tryPassphrase: write(tryPassphrase),
  clearPassphraseTries: write(clearPassphraseTries),
});

const agentStore = ({ read, write }: Transactions): AgentStore => ({
  createAgent: write(createAgent),
  setAgent: write(setAgent),
  readAgent: read(readAgent),
  findAgent: read(findAgent),
  listAgents: read(listAgents),
  createClass: write(createClass),
  setClass: write(setClass),
  readClass: read(readClass),
  listClasses: read(listClasses),
});

const callStore = ({ write }: Transactions): CallStore => ({
  beginCall: write(beginCall),
  acceptCall: write(acceptCall),
  settleCall: write(settleCall),
  dropCall: write(dropCall),
});

const checkpointStore = ({ read }: Transactions): CheckpointStore => ({
  readCheckpoints: read(readCheckpoints),
});

const dueStore = ({ write }: Transactions): DueStore => ({
  claimDue: write(claimDue),
  settleDue: write(settleDue),
});

const eventStore = ({ readEvents: reading, write }: Transactions): EventStore => ({
  appendEvents: write(appendEvents),
  recordEvent: write(recordEvent),
  readEvents: reading(readEvents),
  lastEvent: reading(lastEvent),
});

const hostStore = ({ read, write, writeBuffered }: Transactions): HostStore => ({
  readSecret: read(readSecret),
  recordSecret: write(recordSecret),
  recordHome: write(recordHome),
  beat: writeBuffered(beat),
  readHost: read(readHost),
  listHosts: read(listHosts),
  listOwners: read(listOwners),
  takeSlot: writeBuffered(takeSlot),
  freeSlot: writeBuffered(freeSlot),
  listSlots: read(listSlots),
  readProbe: read(readProbe),
  writeProbe: write(writeProbe),
});

const inboxStore = ({ read, write }: Transactions): InboxStore => ({
  answerItem: write(answerItem),
  expireItem: write(expireItem),
  readItem: read(readItem),
  findItems: read(findItems),
  listItems: read(listItems),
  countInbox: read(countInbox),
});

const limitStore = ({ read }: Transactions): LimitStore => ({
  listLimits: read(listLimits),
});

const keptStore = ({ read, write }: Transactions): KeptStore => ({
  readProtection: read(readProtection),
  setProtection: write(setProtection),
  recordScan: write(recordScan),
  listKnownFiles: read(listKnownFiles),
  keepBytes: async (parts) => write(keepBytes)(await packAll(parts)),
  keepSessions: async (keep) => write(keepSessions)(await withPackedParts(keep)),
  markKept: write(markKept),
  countKept: read(countKept),
  listKept: read(listKept),
  findKept: read(findKept),
  readKept: read(readKept),
  readKeptBytes: read(readKeptBytes),
  forgetKept: write(forgetKept),
});

const runStore = ({
  read,
  write,
  writeTogether,
  writeTogetherBuffered,
}: Transactions): RunStore => ({
  createRun: writeTogether(createRun),
  readRun: read(readRun),
  findRuns: read(findRuns),
  listRuns: read(listRuns),
  countRuns: read(countRuns),
  listActiveRuns: read(listActiveRuns),
  takeRun: writeTogetherBuffered(takeRun),
  advanceRun: writeTogether(advanceRun),
  advanceRunBuffered: writeTogetherBuffered(advanceRun),
  recordRunFailure: write(recordRunFailure),
  signalRun: write(signalRun),
});

const sessionStore = ({ read, write }: Transactions): SessionStore => ({
  createSession: async (creation) => write(createSession)(await withPacked(creation)),
  readSession: read(readSession),
  listSessions: read(listSessions),
  countSessions: read(countSessions),
  load: read(load),
  setSession: write(setSession),
  compactSession: write(compactSession),
  holdSession: write(holdSession),
  releaseSession: write(releaseSession),
  archiveSession: write(archiveSession),
  reviveSession: write(reviveSession),
  purgeSession: write(purgeSession),
  listRetention: read(listRetention),
  findPinned: read(findPinned),
  listPins: read(listPins),
  movePin: write(movePin),
  rebasePins: write(rebasePins),
  readTranscript: read(readTranscript),
});

const turnStore = ({ read, write, writeBuffered, writeAtLevel }: Transactions): TurnStore => ({
  openTurn: writeAtLevel(openTurn),
  beginTurn: writeAtLevel(beginTurn),
  reopenTurn: write(reopenTurn),
  claimTurn: writeBuffered(claimTurn),
  // A released turn is left to other processes, and the caller relies on it.
  takeOver: (take) => (take.owner === null ? write : writeBuffered)(takeOver)(take),
  requeueTurn: write(requeueTurn),
  recordDecision: writeAtLevel(recordDecision),
  recordLaunch: write(recordLaunch),
  recordWaiting: writeBuffered(recordWaiting),
  recordRestore: write(recordRestore),
  importMessages: async (record) => write(importMessages)(await withPacked(record)),
  endAttempt: async (end) => write(endAttempt)(await withPacked(end)),
  finishTurn: async (finish) => write(finishTurn)(await withPacked(finish)),
  answerTurn: write(answerTurn),
  readTurn: read(readTurn),
  findTurns: read(findTurns),
  listTurns: read(listTurns),
  listOpenTurns: read(listOpenTurns),
  findQuestions: read(findQuestions),
  listQuestions: read(listQuestions),
});

const usageStore = ({ read }: Transactions): UsageStore => ({
  sumUsage: read(sumUsage),
});

const webhookStore = ({ read, write }: Transactions): WebhookStore => ({
  createWebhook: write(createWebhook),
  readWebhook: read(readWebhook),
  listWebhooks: read(listWebhooks),
  removeWebhook: write(removeWebhook),
  queueDeliveries: write(queueDeliveries),
  settleDelivery: write(settleDelivery),
  replayDelivery: write(replayDelivery),
  readDelivery: read(readDelivery),
  listDeliveries: read(listDeliveries),
});
