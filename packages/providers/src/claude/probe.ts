/** Finds out which claude would be started, what it can do, and with which account. */

import { basename } from "node:path";
import { NotFoundError } from "@reprise/core/errors/errors";
import type { Ability } from "@reprise/core/session/pin";
import { askProgram, examineProgram, type ProgramOptions } from "../program.ts";
import type { Probe, ProbeTools, ProviderAgent } from "../provider.ts";
import { accountOf } from "./account.ts";
import { findBinary } from "./binary.ts";
import { homeOf } from "./home.ts";
import { hasSandbox } from "./sandbox.ts";
import { binariesOf } from "./settings.ts";

const claude = "claude-code";

export async function probe(agent: ProviderAgent, tools: ProbeTools): Promise<Probe> {
  const binary = findBinary(binariesOf(agent.settings), agent.env.PATH);
  const found = await examineProgram(binary, tools.cache, () =>
    look(binary, { env: agent.env, timeout: tools.timeout }),
  );
  const { version, abilities } = found;
  return {
    binary,
    // Entries of earlier versions of Reprise have no product: they are claude itself.
    runtime: { product: found.product ?? claude, home: await homeOf(agent), version, abilities },
    account: await accountOf(agent, tools.digest),
    sandbox: await hasSandbox(agent),
  };
}

interface Found {
  readonly product?: string;
  readonly version: string;
  readonly abilities: Ability[];
}

async function look(binary: string, asking: ProgramOptions): Promise<Found> {
  const said = (await askProgram(binary, ["--version"], asking)) ?? "";
  const help = (await askProgram(binary, ["--help"], asking)) ?? "";
  const named = /^(\S+) \(Claude Code\)/m.exec(said);
  if (named?.[1]) return { product: claude, version: named[1], abilities: abilitiesIn(help) };
  const fork = forkOf(said, basename(binary));
  if (fork && ["--print", "--output-format"].every((option) => has(help, option)))
    return { ...fork, abilities: abilitiesIn(help) };
  throw new NotFoundError(
    "not-the-agent",
    `"${binary}" is not claude: it did not answer --version and --help as claude does.`,
    "Set binary to the path of claude.",
  );
}

/**
 * A program that is used like claude but has another name, as in "0.9.1 (Open Claude)" or "openclaude 0.9.1". It is a
 * separate product: claude may not be able to continue its sessions.
 */
function forkOf(said: string, binary: string): { product: string; version: string } | null {
  const line = said.trim().split("\n")[0] ?? "";
  const [, before = "", version, after = ""] =
    /^(.*?)\bv?(\d+\.\d+\S*)\s*(?:\((.*)\))?/.exec(line) ?? [];
  if (version === undefined) return null;
  const slug = (after || before || binary).toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const product = slug.replace(/^-|-$/g, "") || "unknown";
  // Another program must not count as claude because of its name alone.
  return { product: product === claude ? `${product}-fork` : product, version };
}

function abilitiesIn(help: string): Ability[] {
  if (!has(help, "--resume") || !has(help, "--session-id")) return [];
  return ["resume", ...(has(help, "--model") ? (["model-on-resume"] as const) : [])];
}

function has(help: string, option: string): boolean {
  return new RegExp(`^ +(-\\w, )?${option}\\b`, "m").test(help);
}
