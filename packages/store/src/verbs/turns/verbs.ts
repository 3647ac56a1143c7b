/** How the verbs of turns run: what they read or write, and how durable it is. */

import type { TurnStore } from "../../contract/turns.ts";
import { withPacked } from "../checkpoints/checkpoint.ts";
import type { Transactions } from "../transactions.ts";
import { answerTurn } from "./answer-turn.ts";
import { claimTurn } from "./claim-turn.ts";
import { endAttempt } from "./end-attempt.ts";
import { finishTurn } from "./finish-turn.ts";
import { importMessages } from "./import-messages.ts";
import { beginTurn, openTurn } from "./open-turn.ts";
import {
  findQuestions,
  findTurns,
  listOpenTurns,
  listQuestions,
  listTurns,
  readTurn,
} from "./read-turns.ts";
import { recordDecision } from "./record-decision.ts";
import { recordLaunch } from "./record-launch.ts";
import { recordRestore } from "./record-restore.ts";
import { recordWaiting } from "./record-waiting.ts";
import { reopenTurn } from "./reopen-turn.ts";
import { requeueTurn } from "./requeue-turn.ts";
import { takeOver } from "./take-over.ts";

export const turnStore = ({
  read,
  write,
  writeBuffered,
  writeAtLevel,
}: Transactions): TurnStore => ({
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
