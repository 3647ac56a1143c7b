/** Opens a home in this process, without a server, and returns the public API. */

import type { ProtectApi, Reprise } from "@reprise/core/api/reprise";
import { runSession } from "@reprise/core/api/run-session";
import { sessionHandle } from "@reprise/core/api/session-handle";
import { secretsOf } from "@reprise/core/session/redact";
import type { Turn } from "@reprise/core/session/turn";
import type { Launcher } from "@reprise/providers/launch/launcher";
import { localLauncher } from "@reprise/providers/launch/local-launcher";
import { mark, self } from "@reprise/providers/launch/process";
import type { Provider } from "@reprise/providers/provider";
import { ProviderRegistry } from "@reprise/providers/registry";
import type { NewEvent } from "@reprise/store/contract/events";
import type { Store } from "@reprise/store/store";
import { agentView, classView, createAgent, createClass, readClass, showAgent } from "./agents.ts";
import { backup } from "./backup/backup.ts";
import { readSettings } from "./config.ts";
import { doctor } from "./doctor.ts";
import { Accounts, type Engine, type Report } from "./engine.ts";
import { watchEvents } from "./events.ts";
import { type HomeOptions, openHome } from "./home.ts";
import { homeStore, openHomeStore, StoreClock, withoutStoreAccess } from "./home-store.ts";
import { Hosts } from "./hosts.ts";
import { listLimits } from "./limits.ts";
import { loadProviders } from "./load-providers.ts";
import { providerView } from "./provider-view.ts";
import { readiness } from "./readiness.ts";
import type { FunctionSandbox } from "./run/work/function-sandbox.ts";
import { lazyRuns, settleDeadlines } from "./runs.ts";
import { adoptSession } from "./session/adopt.ts";
import { exportSession, importSession } from "./session/bundle.ts";
import { compactSession } from "./session/compact.ts";
import { explain } from "./session/explain.ts";
import { finishSession } from "./session/finish.ts";
import { forkSession } from "./session/fork.ts";
import { archiveSession, holdSession, releaseSession, reviveSession } from "./session/keep.ts";
import { moveSession } from "./session/move.ts";
import { openSession } from "./session/open.ts";
import { providerSessions } from "./session/provider-sessions.ts";
import { pruneSessions } from "./session/prune.ts";
import {
  countSessions,
  listSessions,
  listTurns,
  purgeSession,
  showSession,
  why,
} from "./session/sessions.ts";
import { setSession } from "./session/set-session.ts";
import { verify } from "./session/verify.ts";
import { setAgent, setClass } from "./set-agent.ts";
import { parseStoreAddress } from "./store-address.ts";
import { tokensOf } from "./tokens.ts";
import { recoverEnded } from "./turn/acquire.ts";
import { answerTurn } from "./turn/answer.ts";
import { cancelTurn } from "./turn/cancel.ts";
import { runQueued } from "./turn/queue.ts";
import { send } from "./turn/send.ts";
import { usage } from "./usage.ts";

export interface OpenOptions extends HomeOptions {
  /** The turn in which this process was started. Default: REPRISE_TURN of the environment. */
  readonly within?: string | null;
  /** The folder with everything Reprise keeps; created if it does not exist. */
  readonly home: string;
  /** Address of a PostgreSQL database for the sessions of a new home; a home that has one needs none. */
  readonly store?: string | undefined;
  /** The environment for agents and settings. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** The clock, in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
  /** Providers beside those of Reprise, as `defineProvider` of `reprise/provider` returns them. */
  readonly providers?: readonly Provider[];
  /** Settings that override all others. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Opens despite mistakes in the user's settings file, for `doctor`, which reports them. */
  readonly tolerant?: boolean;
  /** Where a server logs what went wrong while no caller was waiting. */
  readonly report?: Report;
  /** Wraps the store and the launcher, so that tests can watch or disturb them. */
  readonly wrap?: {
    readonly store?: (store: Store) => Store;
    readonly launcher?: (launcher: Launcher) => Launcher;
  };
}

export async function openReprise(options: OpenOptions): Promise<Reprise> {
  return (await openEngine(options)).reprise;
}

/** The same, with the engine, for a server. */
export async function openEngine(
  options: OpenOptions,
): Promise<{ readonly engine: Engine; readonly reprise: Reprise }> {
  const { env = process.env, cwd = process.cwd(), wrap } = options;
  const { settings: flags = {}, tolerant = false } = options;
  const config = await readSettings({ flags, env, cwd, tolerant });
  const isOwn = config.values.providers.length === 0 && options.providers === undefined;
  const providers = isOwn
    ? new ProviderRegistry()
    : await loadProviders(config, { env, cwd }, options.providers);
  // A wrong address is refused before there is a home.
  if (options.store !== undefined) parseStoreAddress(options.store);
  const home = await openHome(options.home, options);
  const elsewhere = homeStore(home.path, { given: options.store, env });
  const owner = { ...self(), hostId: home.hostId };
  const own = options.now ?? Date.now;
  const secrets = [...secretsOf(env), ...(elsewhere?.secrets ?? [])];
  const opened = await openHomeStore({ home, elsewhere, secrets, owner, now: own });
  const store = wrap?.store?.(opened.store) ?? opened.store;
  const launcher = localLauncher(home.path);
  const clock = await StoreClock.open(opened.store, own);
  const { now } = clock;
  const hosts = new Hosts({ store, owner, now });
  const later = new Set<Promise<unknown>>();
  let functions: Promise<FunctionSandbox> | undefined;
  const engine: Engine = {
    home,
    store,
    accounts: new Accounts(store, home),
    launcher: wrap?.launcher?.(launcher) ?? launcher,
    settings: config.values,
    ignoredSettings: config.ignored,
    brokenSettings: config.broken,
    cwd,
    // Read anew each time: a program may change its environment while the home is open.
    get env() {
      return withoutStoreAccess(env, elsewhere);
    },
    secrets,
    owner,
    within: options.within === undefined ? (env[mark] ?? null) : options.within,
    hosts,
    functions() {
      functions ??= openFunctions();
      return functions;
    },
    providers,
    provider: (name) => providers.find(name),
    now,
    runLater(turn, leave) {
      const running = runQueued(engine, turn, { leave }).catch(() => {});
      later.add(running);
      void running.then(() => later.delete(running));
    },
    report: options.report ?? (() => {}),
  };
  if (!home.isReadOnly) await recoverHome(engine);
  const { runs, inbox, leave } = lazyRuns(engine);
  let protection: Promise<ProtectApi> | undefined;
  const protect = () => {
    protection ??= openProtect(engine);
    return protection;
  };

  const reprise: Reprise = {
    session: (key, defaults) => sessionHandle(reprise, key, defaults),
    run: (session, runOptions) => runSession(reprise, session, runOptions),
    agents: {
      create: (agent) => createAgent(engine, agent),
      list: async () => (await store.listAgents()).map((agent) => agentView(engine, agent)),
      show: (name) => showAgent(engine, name),
      set: (set) => setAgent(engine, set),
      createClass: (agentClass) => createClass(engine, agentClass),
      listClasses: async () => (await store.listClasses()).map((each) => classView(engine, each)),
      showClass: async (name) => classView(engine, await readClass(engine, name)),
      setClass: (set) => setClass(engine, set),
      providerSessions: (list) => providerSessions(engine, list),
    },
    sessions: {
      send: (input, sendOptions) => send(engine, input, sendOptions),
      finish: (input, sendOptions) => finishSession(engine, input, sendOptions),
      list: (query) => listSessions(engine, query),
      count: (filter) => countSessions(engine, filter),
      show: (key) => showSession(engine, key),
      explain: (input, options) => explain(engine, input, options),
      verify: (key) => verify(engine, key),
      purge: (key, purge) => purgeSession(engine, key, purge),
      fork: (input) => forkSession(engine, input),
      move: (input) => moveSession(engine, input),
      export: (input) => exportSession(engine, input),
      import: (input) => importSession(engine, input),
      adopt: (input) => adoptSession(engine, input),
      open: (key, openOptions) => openSession(engine, key, openOptions),
      compact: (compact) => compactSession(engine, compact),
      hold: (hold) => holdSession(engine, hold),
      release: (release) => releaseSession(engine, release),
      archive: (key, archive) => archiveSession(engine, key, archive),
      revive: (key, revive) => reviveSession(engine, key, revive),
      set: (set) => setSession(engine, set),
      prune: (prune) => pruneSessions(engine, prune),
    },
    turns: {
      list: (query) => listTurns(engine, query),
      why: (turnOrKey) => why(engine, turnOrKey),
      answer: (answer, sendOptions) =>
        answerTurn(engine, answer, {
          ...sendOptions,
          runEvent: (waiting, by) => nodeAnswer(engine, waiting, by),
          after: (turn) => sendOptions?.onOpened?.(turn),
        }),
      cancel: (turnOrKey, cancel) => cancelTurn(engine, turnOrKey, cancel),
    },
    runs,
    inbox,
    get tokens() {
      return tokensOf(engine);
    },
    protect: {
      set: async (set) => (await protect()).set(set),
      scan: async (scan) => (await protect()).scan(scan),
      status: async () => (await protect()).status(),
      list: async (query) => (await protect()).list(query),
      restore: async (restore) => (await protect()).restore(restore),
      forget: async (id, forget) => (await protect()).forget(id, forget),
    },
    ready: () => readiness(engine),
    doctor: () => doctor(engine),
    providers: async () => engine.providers.providers.map(providerView),
    limits: () => listLimits(engine),
    config: async () => config.list().map((each) => ({ ...each, scopes: [...each.scopes] })),
    usage: (query) => usage(engine, query),
    backup: (file, backupOptions) => backup(engine, file, backupOptions),
    events: (watch) => watchEvents(store, watch),
    async close() {
      await leave();
      while (later.size > 0) await Promise.all(later);
      hosts.close();
      clock.close();
      (await functions)?.close();
      await store.close();
      await opened.cleanUp();
    },
  };
  return { engine, reprise };
}

async function recoverHome(engine: Engine): Promise<void> {
  const { store, owner, now } = engine;
  const isNewBoot = await store.recordBoot({ boot: owner.boot, at: now() });
  // Spools that cannot be removed now may stay.
  if (isNewBoot) await tidySpools(engine).catch(() => {});
  await recoverEnded(engine);
  // A deadline that cannot be settled now stays due: it must not prevent the home from opening.
  await settleDeadlines(engine).catch(() => {});
}

// What most commands do not need is loaded when it is.

async function tidySpools(engine: Engine): Promise<void> {
  const { removeLostSpools } = await import("./lost-spools.ts");
  await removeLostSpools(engine);
}

async function openFunctions(): Promise<FunctionSandbox> {
  const { FunctionSandbox } = await import("./run/work/function-sandbox.ts");
  return new FunctionSandbox();
}

async function openProtect(engine: Engine): Promise<ProtectApi> {
  const { protectOf } = await import("./protect/protect.ts");
  return protectOf(engine);
}

/** The event for the run whose node the turn belongs to, if it belongs to one. */
async function nodeAnswer(engine: Engine, turn: Turn, by: string | null): Promise<NewEvent | null> {
  if (!turn.request.origin) return null;
  const { nodeAnswered } = await import("./run/node-answered.ts");
  return nodeAnswered(engine, turn, by);
}
