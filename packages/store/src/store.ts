/**
 * The Store contract: what Reprise keeps. Interfaces only, one file per noun in `contract/`; `sqlite/`
 * implements it, and `suite/` tests any implementation. Every method is one verb and one transaction. Times
 * and ids come from the caller; a time that decides something is compared with the store's own clock. A write for a turn needs its fencing token; with a stale one it throws a
 * FencedError and writes nothing.
 */

import type { AccessStore } from "./contract/access.ts";
import type { AgentStore } from "./contract/agents.ts";
import type { CallStore } from "./contract/calls.ts";
import type { CheckpointStore } from "./contract/checkpoints.ts";
import type { DatabaseStore } from "./contract/database.ts";
import type { DueStore } from "./contract/due.ts";
import type { EventStore } from "./contract/events.ts";
import type { HostStore } from "./contract/hosts.ts";
import type { InboxStore } from "./contract/inbox.ts";
import type { KeptStore } from "./contract/kept.ts";
import type { LimitStore } from "./contract/limits.ts";
import type { RunStore } from "./contract/runs.ts";
import type { SessionStore } from "./contract/sessions.ts";
import type { TurnStore } from "./contract/turns.ts";
import type { UsageStore } from "./contract/usage.ts";
import type { WebhookStore } from "./contract/webhooks.ts";

export interface Store
  extends AgentStore,
    SessionStore,
    TurnStore,
    CheckpointStore,
    KeptStore,
    UsageStore,
    RunStore,
    InboxStore,
    LimitStore,
    EventStore,
    DueStore,
    AccessStore,
    CallStore,
    WebhookStore,
    HostStore,
    DatabaseStore {}
