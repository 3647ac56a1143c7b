/** `doctor`: checks everything that Reprise depends on, offline, and says what to fix. */

import { existsSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import type { DoctorReport } from "@reprise/core/api/reprise";
import { errorView, NotFoundError } from "@reprise/core/errors/errors";
import { command, option, slot, verb } from "@reprise/core/errors/hint";
import type { Runtime } from "@reprise/core/session/pin";
import type { Turn } from "@reprise/core/session/turn";
import { bridgePath } from "@reprise/providers/define-provider";
import type { Provider } from "@reprise/providers/provider";
import { newestTested } from "@reprise/providers/tested-version";
import { type Engine, providerAgent } from "./engine.ts";
import { isShared } from "./home.ts";
import { listLimits } from "./limits.ts";
import { protectFindings } from "./protect/findings.ts";
import { readiness } from "./readiness.ts";
import { unsettledItems } from "./runs.ts";
import { openTurns } from "./turn/acquire.ts";
import { type BoundAgent, bindAgent, probe } from "./turn/observe.ts";
import { isFree } from "./turn/ownership.ts";

type Finding = DoctorReport["findings"][number];

/** The maximum number of findings of one kind. */
const maxShown = 10;

export async function doctor(engine: Engine): Promise<DoctorReport> {
  const sound = await database(engine);
  const findings = [
    node(),
    await home(engine),
    sound,
    ...(sound.state === "ok" ? await room(engine) : []),
    ...settings(engine),
    ...(await agents(engine)),
    ...(await programs(engine)),
    ...brokenProviders(engine),
    ...bridges(engine),
    ...(await openTurnFindings(engine)),
    ...(await limits(engine)),
    ...(await deadlines(engine)),
    ...(await openedTwice(engine)),
    ...(sound.state === "ok" ? await protectFindings(engine) : []),
  ];
  return { ok: findings.every(({ state }) => state !== "problem"), findings };
}

function node(): Finding {
  return finding("node", "ok", `Node ${process.versions.node}`);
}

async function home({ home: { path } }: Engine): Promise<Finding> {
  const writable = await access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
  return writable
    ? finding("home", "ok", path)
    : finding("home", "problem", `${path} cannot be written.`, "Give yourself write permission.");
}

async function database({ home, store }: Engine): Promise<Finding> {
  const { schema, path, bytes, sound, problems } = await store.check({ full: true });
  const kind = isShared(home.path) ? `PostgreSQL, ${path}` : "SQLite";
  return sound
    ? finding("database", "ok", `${kind}, schema ${schema}, ${Math.ceil(bytes / 1024)} KiB, sound`)
    : finding("database", "problem", problems.join("; "), "Restore it from a backup.");
}

/** A project's settings file never stops a command, so it is a warning; the user's file does. */
function settings({ ignoredSettings, brokenSettings }: Engine): Finding[] {
  return [
    ...brokenSettings.map((text) => finding("settings", "problem", text)),
    ...ignoredSettings.map((text) => finding("settings", "warning", text)),
  ];
}

/** The home is sound, but turns of the account are refused or wait. */
async function limits(engine: Engine): Promise<Finding[]> {
  return (await listLimits(engine)).map(({ provider, agent, until, waiting }) =>
    finding(
      `account of agent ${agent}`,
      "warning",
      `Its limit at ${provider} is used up until ${new Date(until).toISOString()}; ${waiting} ${waiting === 1 ? "turn waits" : "turns wait"} for the reset.`,
      `Send with another agent, or try anyway with ${option("now")}.`,
    ),
  );
}

/** Whether anything can be recorded now; not checked for a damaged database. */
async function room(engine: Engine): Promise<Finding[]> {
  const { reasons } = await readiness(engine);
  return reasons.map(({ text, hint }) => finding("room", "problem", text, hint));
}

async function agents(engine: Engine): Promise<Finding[]> {
  const known = await engine.store.listAgents();
  if (known.length === 0)
    return [
      finding(
        "agents",
        "warning",
        "There is no agent yet.",
        `Create one: ${verb("agents.create", { name: "coder", provider: "codex" })}`,
      ),
    ];
  const found = await Promise.all(
    known.map(async (agent) => {
      const subject = `agent ${agent.name}`;
      try {
        const bound = bindAgent(engine, agent);
        return await examined(engine, subject, bound);
      } catch (error) {
        const { message, hint } = errorView(error);
        // The program is missing: not every agent of a home must be usable on this machine.
        const state = error instanceof NotFoundError ? "warning" : "problem";
        return [finding(subject, state, message, hint)];
      }
    }),
  );
  return distinct(found.flat());
}

/** @throws NotFoundError if the program is missing. */
async function examined(
  engine: Engine,
  subject: string,
  { provider, providerAgent: agent }: Pick<BoundAgent, "provider" | "providerAgent">,
): Promise<Finding[]> {
  const bound = { provider, providerAgent: agent };
  const { runtime, account } = await probe(engine, bound, { writes: false });
  const { login } = provider.manifest.program;
  const lacksLogin = (await provider.lacksLogin?.(agent)) ?? false;
  const loginState = lacksLogin ? "not logged in" : account ? "logged in" : "login unknown";
  const text = [
    `${runtime.product} ${runtime.version}`,
    ...(login === undefined ? [] : [loginState]),
    abilitiesOf(runtime),
  ].join(" · ");
  const hints = [
    ...(runtime.abilities.includes("resume") ? [] : ["Update the agent's program."]),
    ...(lacksLogin && login !== undefined ? [login] : []),
  ];
  return [
    hints.length === 0
      ? finding(subject, "ok", text)
      : finding(subject, "warning", text, hints.join(" ")),
    ...untested(provider, runtime),
  ];
}

/** What the installed program can do, as it was found. */
function abilitiesOf({ abilities }: Runtime): string {
  if (!abilities.includes("resume")) return "cannot resume";
  return abilities.includes("model-on-resume")
    ? "resumes, also with another model"
    : "resumes, with the same model";
}

/** A program that is newer than the provider's tests may have changed what the provider relies on. */
function untested({ manifest }: Provider, runtime: Runtime): Finding[] {
  const newest = newestTested(manifest, runtime);
  if (newest === null) return [];
  const { product, version } = runtime;
  return [
    finding(
      `provider ${manifest.name}`,
      "warning",
      `${product} ${version} is newer than tested: the newest tested version is ${newest}.`,
      "It is used all the same. If it misbehaves, install the tested version.",
    ),
  ];
}

/** Providers of the user's settings that could not be loaded. */
function brokenProviders({ providers }: Engine): Finding[] {
  return providers.broken.map(({ module, error }) =>
    finding(`provider ${module}`, "problem", error.message, error.hint),
  );
}

/** Bridges come with their provider; one that is missing means a damaged installation. */
function bridges({ providers }: Engine): Finding[] {
  return providers.providers.flatMap(({ manifest }) =>
    manifest.bridges
      .filter((bridge) => !existsSync(bridgePath(bridge)))
      .map((bridge) =>
        finding(
          `provider ${manifest.name}`,
          "problem",
          `Its program ${bridgePath(bridge)} does not exist.`,
          "Install the provider again.",
        ),
      ),
  );
}

function distinct(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((each) => [`${each.subject} ${each.text}`, each])).values()];
}

/** The programs of providers that no agent uses yet. */
async function programs(engine: Engine): Promise<Finding[]> {
  const used = (await engine.store.listAgents()).map(({ provider }) => provider);
  const unused = engine.providers.names.filter(
    (name) => name !== "scripted" && !used.includes(name),
  );
  const found = await Promise.all(
    unused.map(async (name) => {
      const subject = `program ${name}`;
      const provider = engine.provider(name);
      const agent = providerAgent(engine, { name, settings: {} });
      try {
        return await examined(engine, subject, { provider, providerAgent: agent });
      } catch (error) {
        const { code, message, hint } = errorView(error);
        // It has no program before an agent names one.
        if (code === "setting-missing") return [];
        return [finding(subject, "warning", message, hint)];
      }
    }),
  );
  return found.flat();
}

async function openTurnFindings(engine: Engine): Promise<Finding[]> {
  const open: Turn[] = [];
  const free = new Set<string>();
  for await (const turn of openTurns(engine.store)) {
    open.push(turn);
    if (await isFree(engine, turn)) free.add(turn.id);
  }
  const isAtWork = ({ id, status }: Turn) =>
    status === "waiting" || (status === "running" && !free.has(id));
  const served = new Set(open.filter(isAtWork).map(({ request }) => request.key));
  // A turn queued behind one that is running or waits for an answer is not a problem.
  const queued = open.filter(
    ({ status, acknowledged, request }) =>
      status === "queued" && acknowledged && !served.has(request.key),
  );
  const adrift = open.filter(({ id, status }) => status === "running" && free.has(id));
  return [
    ...(queued.length > 0
      ? [
          finding(
            "turns",
            "warning",
            `${count(queued.length, "queued turn is", "queued turns are")} waiting to run.`,
            `A server runs them (${command("up --detach")}), or the next send to their session.`,
          ),
        ]
      : []),
    ...(adrift.length > 0
      ? [
          finding(
            "turns",
            "warning",
            `${count(adrift.length, "agent is", "agents are")} running without Reprise.`,
            `A server takes their answers (${command("up --detach")}), or the next send to their session.`,
          ),
        ]
      : []),
  ];
}

/** Failures of background work, which no caller has seen. */
async function deadlines(engine: Engine): Promise<Finding[]> {
  return (await unsettledItems(engine))
    .slice(0, maxShown)
    .map(({ id, title, run, deadline }) =>
      finding(
        `inbox item ${id.slice(0, 8)}`,
        "problem",
        `The deadline of "${title}" passed at ${new Date(deadline ?? 0).toISOString()} and could not be settled.`,
        `Reprise retries it, and the server's log says why it failed. To cancel the run: ${verb("runs.cancel", { run: run ?? slot("RUN") })}`,
      ),
    );
}

/** Two containers or machines that use one home cannot see each other's processes. */
async function openedTwice({ home, hosts, owner }: Engine): Promise<Finding[]> {
  const others = await hosts.others();
  if (isShared(home.path))
    return others.map(({ name, at }) =>
      finding("servers", "ok", `Also on ${name}, last seen ${new Date(at).toISOString()}`),
    );
  return others.map(({ name, at }) =>
    finding(
      "home opened twice",
      "warning",
      `The home is also open on ${name}, another machine or container than this one (${owner.host}); last seen ${new Date(at).toISOString()}.`,
      "Open a home on one machine or container at a time, or let the others use one server.",
    ),
  );
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

function finding(
  subject: string,
  state: Finding["state"],
  text: string,
  hint: string | null = null,
): Finding {
  return { subject, state, text, hint };
}
