/** The scripted agent as a provider: our own program, which misbehaves only when a script says so. */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import type { Ability, Runtime } from "@reprise/core/session/pin";
import { bridge, bridgePath, defineProvider } from "../define-provider.ts";
import { realPath } from "../files.ts";
import type { ProviderManifest } from "../manifest.ts";
import { askProgram } from "../program.ts";
import type { LaunchRequest, ProbeTools, Provider, ProviderAgent } from "../provider.ts";
import {
  copyIn,
  copyOut,
  earlierHistories,
  identify,
  listSessions,
  readHistory,
  sessionName,
  sessionsIn,
} from "./files.ts";
import * as identity from "./identity.ts";
import { ScriptedReader } from "./reader.ts";
import { readScript, type Script, ScriptProblem } from "./script.ts";

/** The manifest of the scripted agent. */
export const agentBridge = bridge("scripted-agent", "./agent.ts", import.meta.url);

const manifest: ProviderManifest = {
  name: "scripted",
  title: "the scripted agent",
  runners: ["scripted"],
  program: {
    product: identity.product,
    tested: [identity.version],
    install: "It comes with Reprise.",
  },
  abilities: [
    ...identity.abilities,
    "keep-instructions",
    "fork-copy",
    "compact",
    "open",
    "questions",
    "rewind",
  ],
  settings: {
    properties: {
      script: {
        description: "Script file that makes the agent misbehave (absolute path).",
        format: "path",
      },
      home: {
        description:
          "Folder of the agent's sessions and ledger (absolute path). Default: one of its own.",
        format: "path",
      },
      binary: {
        description: "Another program with the same flags (absolute path).",
        format: "program",
        pattern: "/.*",
      },
    },
  },
  access: {
    levels: {
      read: "Its tools that change files or run commands are denied.",
      edit: "Changes files in the work folder and runs only allowed commands.",
      full: "Everything.",
    },
    limits: ["Another program in its place (`binary`) gets no access flags."],
    asks: false,
    given: () => null,
  },
  ids: "caller",
  idPattern: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  maxPrompt: 8 * 1024 * 1024,
  usage: "session",
  checkpoint: "file",
  bridges: [agentBridge],
};

export const scripted: Provider = defineProvider({
  manifest,

  async validate(agent) {
    await loadScript(agent);
  },

  async probe(agent, tools) {
    const script = await loadScript(agent);
    const { binary } = agent.settings;
    const found = binary === undefined ? identity : await askAbout(binary, agent, tools);
    return {
      binary: binary ?? bridgePath(agentBridge),
      runtime: {
        product: script?.product ?? found.product,
        version: script?.version ?? found.version,
        abilities: script?.abilities ?? found.abilities,
        home: await realPath(homeOf(agent)),
      },
      account: script?.account ?? null,
    };
  },

  command(request) {
    return {
      argv: [
        ...flags(request),
        ...(request.answers ? ["--answers", request.answers] : []),
        "--literal",
      ],
      env: {},
    };
  },

  compact: (request, focus) => ({
    argv: [...flags(request), "--compact", "--literal"],
    env: {},
    prompt: focus ?? "",
  }),

  interactive: (request) => ({ argv: [...flags(request), "--interactive"], env: {} }),

  reader: () => new ScriptedReader(),
  place: (agent) => realPath(homeOf(agent)),
  observe: readHistory,
  earlier: earlierHistories,
  sessions: async (agent, selection) => sessionsIn(await realPath(homeOf(agent)), selection),
  native: {
    list: async (agent) => listSessions(await realPath(homeOf(agent))),
    identify,
  },
  copyOut,
  copyIn,
  relocate: (files, from, to) =>
    files.map(({ name, bytes }) => ({
      name: name === sessionName(from.id) ? sessionName(to.id) : name,
      bytes,
    })),
});

function flags(request: LaunchRequest): string[] {
  const { agent, binary, model, runtime } = request;
  const own = binary === bridgePath(agentBridge);
  return [
    ...(own ? [process.execPath, binary] : [binary]),
    "--home",
    request.resume?.place ?? runtime.home,
    ...sessionFlags(request),
    ...(model === null ? [] : [`--model=${model}`]),
    ...(agent.settings.script === undefined ? [] : ["--script", agent.settings.script]),
    // Another program with the same flags may not have this one.
    ...(own ? accessFlags(request) : []),
  ];
}

function accessFlags({ access }: LaunchRequest): string[] {
  if (access.level === "full") return [];
  return [
    `--access=${access.level}`,
    ...access.allowedCommands.map((command) => `--allow-command=${command}`),
    ...access.hidden.map((path) => `--hide=${path}`),
  ];
}

function homeOf({ settings, privateFolder }: ProviderAgent): string {
  return settings.home ?? join(privateFolder, "scripted");
}

function sessionFlags({ resume, newId }: LaunchRequest): string[] {
  if (resume !== null) return ["--resume", resume.id];
  if (newId === null) throw new TypeError("A new session of the scripted agent needs an id.");
  return ["--session-id", newId];
}

async function loadScript({ settings }: ProviderAgent): Promise<Script | null> {
  if (settings.script === undefined) return null;
  try {
    return await readScript(settings.script);
  } catch (error) {
    if (!(error instanceof ScriptProblem)) throw error;
    const hint = "Correct the script file, or remove the agent's setting script.";
    throw new UsageError("bad-script", error.message, hint, { cause: error });
  }
}

type Found = Pick<Runtime, "product" | "version" | "abilities">;

/** Version and abilities of another program; asked once per build. */
async function askAbout(
  binary: string,
  { env }: ProviderAgent,
  { cache, timeout }: ProbeTools,
): Promise<Found> {
  const { size, mtimeMs } = await stat(binary).catch(() => {
    throw new NotFoundError(
      "no-program",
      `The scripted agent's program ${binary} does not exist.`,
      "Install it, or remove the agent's setting binary.",
    );
  });
  const build = `${size} ${mtimeMs}`;
  const known = (await cache.read(binary)) as { build: string; found: Found } | null | undefined;
  if (known?.build === build) return known.found;

  const said = await askProgram(binary, ["--version"], { env, timeout });
  const help = said === null ? null : await askProgram(binary, ["--help"], { env, timeout });
  if (said === null || help === null)
    throw new UsageError(
      "bad-program",
      `${binary} does not answer --version and --help as a scripted agent does.`,
      "Correct or remove the agent's setting binary.",
    );
  const [product = "unknown", version = "unknown"] = said.trim().split(/\s+/);
  const abilities: Ability[] = [
    ...(help.includes("--resume") ? (["resume"] as const) : []),
    ...(/--model .*this turn/.test(help) ? (["model-on-resume"] as const) : []),
  ];
  const found: Found = { product, version, abilities };
  await cache.write(binary, { build, found });
  return found;
}
