/**
 * The schema, as numbered steps that only go forward, one file each. Types are the common subset of SQLite and
 * PostgreSQL: TEXT, BIGINT (milliseconds, counts, 0 or 1), JSON as TEXT; only checkpoint bytes are BLOB.
 * Long texts are the last columns of a table, so that SQLite reads the columns before them without following
 * overflow pages. A step that was released is never changed.
 */

import { initial } from "./0001-initial.ts";
import { questions } from "./0002-questions.ts";
import { sessionSettings } from "./0003-session-settings.ts";
import { checkpointBlobs } from "./0004-checkpoint-blobs.ts";
import { compaction } from "./0005-compaction.ts";
import { runs } from "./0006-runs.ts";
import { classes } from "./0007-classes.ts";
import { tokens } from "./0008-tokens.ts";
import { webhooks } from "./0009-webhooks.ts";
import { eventRowids } from "./0010-event-rowids.ts";
import { questionTimes } from "./0011-question-times.ts";
import { hosts } from "./0012-hosts.ts";
import { messageTools } from "./0013-message-tools.ts";
import { runFailures } from "./0014-run-failures.ts";
import { takenBack } from "./0015-taken-back.ts";
import { logins } from "./0016-logins.ts";
import { passphrases } from "./0017-passphrases.ts";
import { slots } from "./0018-slots.ts";
import { access } from "./0019-access.ts";
import { probeHosts } from "./0020-probe-hosts.ts";
import { tokenExpiry } from "./0021-token-expiry.ts";
import { storeHome } from "./0022-store-home.ts";
import { sessionUse } from "./0023-session-use.ts";
import { pinVersions } from "./0024-pin-versions.ts";
import { pinHandles } from "./0025-pin-handles.ts";
import { accountLimits } from "./0026-account-limits.ts";
import { keptSessions } from "./0027-kept-sessions.ts";

/** In order: the schema version is how many were applied. */
export const migrations: readonly string[] = [
  initial,
  questions,
  sessionSettings,
  checkpointBlobs,
  compaction,
  runs,
  classes,
  tokens,
  webhooks,
  eventRowids,
  questionTimes,
  hosts,
  messageTools,
  runFailures,
  takenBack,
  logins,
  passphrases,
  slots,
  access,
  probeHosts,
  tokenExpiry,
  storeHome,
  sessionUse,
  pinVersions,
  pinHandles,
  accountLimits,
  keptSessions,
];

export const latestSchema = migrations.length;
