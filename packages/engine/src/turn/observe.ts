/** Observes everything that a decision needs: the stored facts, program, account, folder, files. Writes nothing. */

import { accessSync, constants, realpathSync, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { measureSlice } from "@reprise/core/conversation/slice";
import { DeniedError, UsageError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import type { Decision, Observed, Rules, Wanted } from "@reprise/core/session/decision";
import { compactable } from "@reprise/core/session/guards";
import type { History } from "@reprise/core/session/history";
import { type Pin, rebasedPin } from "@reprise/core/session/pin";
import { effectiveAgent, resetDue, resetPolicy, resolvePolicy } from "@reprise/core/session/policy";
import type { AccountLimit } from "@reprise/core/session/quota";
import type { TurnRequest } from "@reprise/core/session/turn";
import {
  type Settings,
  toRules,
  withoutRotation,
  withQuotaOf,
  withSession,
} from "@reprise/core/settings/settings";
import { can } from "@reprise/providers/define-provider";
import type { FileSource, Probe, Provider, ProviderAgent } from "@reprise/providers/provider";
import type { Agent } from "@reprise/store/contract/agents";
import type { SessionFacts } from "@reprise/store/contract/sessions";
import type { Store } from "@reprise/store/store";
import { type Engine, providerAgent, sha256, type TurnSetup } from "../engine.ts";
import { examine, type FoundHistory, type Restoration, readHistory } from "./checkpoint.ts";

/** The digest of absent instructions: different from that of any text. */
export const noInstructions = "none";

/** The part of a turn request that a decision depends on. */
export type Request = Pick<
  TurnRequest,
  | "key"
  | "surface"
  | "mode"
  | "continuity"
  | "model"
  | "folder"
  | "cwd"
  | "settings"
  | "now"
  | "switched"
>;

/** An agent together with its provider. */
export interface BoundAgent {
  readonly agent: Agent;
  readonly provider: Provider;
  readonly providerAgent: ProviderAgent;
}

/** The agent's program, with its account also as earlier versions named it. */
export interface FoundProgram extends Probe {
  readonly accountBefore: string | null;
}

/** Everything that is known before an attempt: what is wanted, pinned and observed. */
export interface Observation extends BoundAgent {
  readonly request: Request;
  readonly probe: FoundProgram;
  readonly facts: SessionFacts;
  readonly wanted: Wanted;
  /** The pin to resume: the current one, or that of the checkpoint to restore. */
  readonly pin: Pin | null;
  readonly observed: Observed;
  /** The provider's history, when there is a pin. */
  readonly history: History | "missing" | "unreadable";
  /** Ids of the messages that a person took back in the provider's own program. */
  readonly takenBack: readonly string[];
  /** What to restore before a resume; null if the history is intact, or no checkpoint helps. */
  readonly restoration: Restoration | null;
}

/** An observation, and what was decided from it. */
export interface TurnContext<D extends Decision = Decision> extends Observation {
  readonly decision: D;
}

/** Binds an agent to its provider, with the changes that a turn makes to it. */
export function bindAgent(engine: Engine, agent: Agent, turn: TurnSetup = {}): BoundAgent {
  return {
    agent: effectiveAgent(agent, turn),
    provider: engine.provider(agent.provider),
    providerAgent: providerAgent(engine, agent, turn),
  };
}

/**
 * Finds the agent's program and its abilities; `writes: false` does not cache the answer, `fresh` does not use a
 * cached one.
 * @throws UsageError for invalid settings, NotFoundError if the program is missing.
 */
export async function probe(
  engine: Engine,
  { provider, providerAgent }: Pick<BoundAgent, "provider" | "providerAgent">,
  { writes, fresh = false }: { writes: boolean; fresh?: boolean },
): Promise<FoundProgram> {
  await provider.validate(providerAgent);
  const host = engine.home.hostId;
  const { digest, before } = await engine.accounts.digests();
  const found = await provider.probe(providerAgent, {
    digest,
    timeout: engine.settings.probeTimeout,
    cache: {
      read: async (binary) => (fresh ? null : engine.store.readProbe({ host, binary })),
      write: async (binary, result) => {
        if (writes) await engine.store.writeProbe({ host, binary, result, at: engine.now() });
      },
    },
  });
  return { ...found, accountBefore: before(found.account) };
}

export async function observe(
  engine: Engine,
  bound: BoundAgent,
  found: FoundProgram,
  request: Request,
  stored: SessionFacts,
  {
    restorable = true,
    answered = false,
    overflowed = false,
    triedToCompact = false,
    source,
  }: {
    /** False: restoring the checkpoint was tried and failed. */
    readonly restorable?: boolean;
    /** The turn was parked and continues with its answer: neither a reset nor a compaction comes in between. */
    readonly answered?: boolean;
    /** The previous attempt did not fit into the model's context. */
    readonly overflowed?: boolean;
    /** The agent's own program was asked to compact the session in this turn. */
    readonly triedToCompact?: boolean;
    /** From which the provider's files are read. */
    readonly source?: FileSource;
  } = {},
): Promise<Observation> {
  const { agent, provider } = bound;
  const facts = { ...stored, pin: stored.pin && inPresentHome(stored.pin, found.runtime.home) };
  const { outline } = facts;
  const { settings, rules } = settingsOf(engine, agent, facts, request);
  const history: FoundHistory = facts.pin
    ? await readHistory(provider, facts.pin, source)
    : { history: "missing", error: null, earlier: [] };
  const compaction = answered ? null : (facts.session?.compaction ?? null);
  const { folder, gone } = sessionFolder(engine, agent, facts, request);
  const lastAnswer = outline.findLast(({ role, takenBack }) => role === "assistant" && !takenBack);
  const asked = {
    key: request.key,
    agent: agent.name,
    rules: facts.session?.held.length ? withoutRotation(rules) : rules,
  };
  const examined = await examine(engine, facts, history, asked, restorable);
  const { state, restoration, takenBack } = examined;
  const compacts =
    can(provider, "compact") && !answered && !triedToCompact && compactable(state, overflowed);

  const wanted: Wanted = {
    ...asked,
    provider: agent.provider,
    policy: resolvePolicy({
      surface: request.surface,
      // An answer belongs to the session that asked, whatever policy started it.
      turn: answered ? "resume" : request.continuity,
      mode: request.mode,
      kind: agent.kind,
      agentSessions: agent.sessions,
      regularAgentSessions: settings.regularAgentSessions,
      reset: answered ? null : resetReason(settings, facts, request, engine.now()),
      compact: compaction !== null && !compacts,
    }),
    folder,
    model: request.model ?? agent.model,
    instructions: instructionsDigest(agent),
    ...(request.now && { now: true }),
    ...(request.switched && { switched: request.switched }),
  };
  const pin = restoration?.pin ?? facts.pin;
  const observed: Observed = {
    now: engine.now(),
    archived: facts.session?.archivedAt != null,
    purgedAt: facts.purgedAt,
    lastAgent: lastAnswer?.agent ?? null,
    lastProvider: lastAnswer?.provider ?? null,
    slice: measureSlice(outline, agent.name, pin?.given ?? null, sha256),
    runtime: found.runtime,
    account: found.account,
    accountBefore: found.accountBefore,
    limit: accountLimit(facts.limits, agent.provider, found),
    history: state,
    ...(gone && { folderGone: true }),
    retired: facts.retired,
    compaction,
    overflowed,
    compacts,
  };
  return {
    ...bound,
    probe: found,
    request,
    facts,
    wanted,
    pin,
    observed,
    history: history.history,
    takenBack,
    restoration,
  };
}

/** The limit of the account that the agent's program would use; null if no turn found it used up. */
export function accountLimit(
  limits: readonly AccountLimit[],
  provider: string,
  { account, accountBefore }: Pick<FoundProgram, "account" | "accountBefore">,
): AccountLimit | null {
  const names = [account, accountBefore].filter((name) => name !== null);
  const own = limits.filter((each) => each.provider === provider);
  return own.find((each) => names.includes(each.account)) ?? null;
}

/** The settings for a turn of this session, and the rules that follow from them. */
export function settingsOf(
  engine: Pick<Engine, "settings">,
  agent: Agent,
  { session }: Pick<SessionFacts, "session">,
  request: Pick<TurnRequest, "settings">,
): { readonly settings: Settings; readonly rules: Rules } {
  const own = session?.settings ?? {};
  const settings = withSession(engine.settings, own);
  const rules = withQuotaOf(toRules(settings), [request.settings, own, agent.settings]);
  return { settings, rules };
}

function instructionsDigest(agent: Agent): string {
  const text = agent.settings.instructions;
  return text ? sha256(text) : noInstructions;
}

/** The reason for a reset, or null. A failed turn does not count as use: until one is confirmed, the reset stays due. */
function resetReason(
  settings: Settings,
  { session, pin, outline }: SessionFacts,
  { surface }: Pick<TurnRequest, "surface">,
  now: number,
): string | null {
  const channel = session?.channel ?? null;
  return resetDue(resetPolicy(settings, { surface, channel }), {
    now,
    usedAt: outline.at(-1)?.at ?? pin?.confirmedAt ?? null,
    held: session !== null && session.held.length > 0,
    offsetAt: (at) => -new Date(at).getTimezoneOffset(),
  });
}

// Finds the provider sessions of an agent whose home has another path than it had.

/**
 * The pin in the agent's present home, if the home that it names is gone: that one has moved, is mounted elsewhere, or
 * was on another machine. A home that is still there is another home, of which the guard `runtime` judges.
 */
export function inPresentHome(pin: Pin, home: string): Pin {
  if (pin.runtime.home === home || !isGone(pin.runtime.home)) return pin;
  return rebasedPin(pin, pin.runtime.home, home);
}

/** A folder that cannot be looked at may be there. */
export function isGone(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

// The work folder of a turn: an existing, usable folder, by its real path.

/**
 * A symlink equals its target, so that only a really different folder counts as different. Uses the
 * synchronous calls: a round trip through the thread pool takes ten times as long.
 */
export function workFolder(path: string, base: string): string {
  const wanted = resolve(base, path);
  try {
    // A path that ends with `/.` resolves only if it is a folder that may be entered.
    accessSync(`${wanted}/.`, constants.R_OK);
    return realpathSync.native(wanted);
  } catch {
    throw problemOf(wanted);
  }
}

/** The same without reading the disk, for callers that must not learn what exists there. */
export function namedFolder(path: string, base: string): string {
  return resolve(base, path);
}

function problemOf(wanted: string): UsageError | DeniedError {
  const found = statOf(wanted);
  if (found === null)
    return new UsageError(
      "folder-missing",
      `The folder ${wanted} does not exist.`,
      `Create it, or name another one with ${option("folder")}.`,
    );
  if (!found.isDirectory())
    return new UsageError(
      "folder-not-a-folder",
      `${wanted} is not a folder.`,
      `Name a folder with ${option("folder")}.`,
    );
  return new DeniedError(
    "folder-unreadable",
    `The folder ${wanted} cannot be read.`,
    `Give yourself read permission, or name another one with ${option("folder")}.`,
  );
}

/** Null if the path cannot be read, for any reason. */
function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

// The folder of a session. A key stays in its folder. The first of these that is known is used: the
// caller's `folder`, the pin's, that of the last launched turn, the agent's, the caller's current folder.
// /

interface SessionFolder {
  readonly folder: string;
  /** It does not exist, or cannot be read. */
  readonly gone: boolean;
}

function sessionFolder(
  { cwd }: Pick<Engine, "cwd">,
  agent: Pick<Agent, "folder">,
  { pin, lastLaunch }: Pick<SessionFacts, "pin" | "lastLaunch">,
  request: Pick<TurnRequest, "folder" | "cwd">,
): SessionFolder {
  const wanted =
    request.folder ?? pin?.folder ?? lastLaunch?.folder ?? agent.folder ?? request.cwd ?? cwd;
  try {
    return { folder: workFolder(wanted, cwd), gone: false };
  } catch {
    return { folder: wanted, gone: true };
  }
}

/** The folder of the newest turn of a key that was launched; null when none was. */
export async function lastFolder(
  store: Pick<Store, "listTurns">,
  key: string,
): Promise<string | null> {
  for (let before: number | undefined; ; ) {
    const turns = await store.listTurns({
      key,
      limit: 20,
      ...(before !== undefined && { before }),
    });
    for (const { attempts } of turns) {
      const launched = attempts.findLast(({ launch }) => launch !== null);
      if (launched?.launch) return launched.launch.folder;
    }
    before = turns.at(-1)?.seq ?? 1;
    if (before <= 1) return null;
  }
}
