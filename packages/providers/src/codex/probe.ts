/** Finds out which codex would be started, what it can do, and for whom. */

import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { NotFoundError } from "@reprise/core/errors/errors";
import type { Ability } from "@reprise/core/session/pin";
import type { Probe, ProbeTools, ProviderAgent } from "../provider.ts";
import { accountOf } from "./account.ts";
import { findBinary } from "./binary.ts";
import { homeOf } from "./home.ts";

/** What the program said about itself; valid while size and time are the same. */
interface Known {
  readonly size: number;
  readonly time: number;
  readonly version: string;
  readonly abilities: readonly Ability[];
}

export async function probe(agent: ProviderAgent, tools: ProbeTools): Promise<Probe> {
  const binary = findBinary(agent.settings.binary, agent.env.PATH);
  const home = await homeOf(agent);
  const { version, abilities } = await examine(binary, agent, tools);
  return {
    binary,
    runtime: { product: "codex", home, version, abilities },
    account: await accountOf(agent, home, tools.digest),
  };
}

async function examine(
  binary: string,
  agent: ProviderAgent,
  { cache }: ProbeTools,
): Promise<Known> {
  const { size, mtimeMs: time } = await stat(binary);
  const cached = (await cache.read(binary)) as Known | null | undefined;
  if (cached?.size === size && cached.time === time) return cached;

  const said = await ask(binary, ["--version"], agent);
  const version = /^codex-cli (\S+)/m.exec(said)?.[1];
  if (!version)
    throw new NotFoundError(
      "not-the-agent",
      `"${binary}" is not codex: it did not answer --version as codex does.`,
      "Set binary to the path of codex.",
    );
  const known = { size, time, version, abilities: await abilitiesOf(binary, agent) };
  await cache.write(binary, known);
  return known;
}

async function abilitiesOf(binary: string, agent: ProviderAgent): Promise<Ability[]> {
  const help = await ask(binary, ["exec", "resume", "--help"], agent);
  const resume = help.includes("[SESSION_ID]") && help.includes("--json");
  const model = /^\s*-m, --model/m.test(help);
  return resume ? ["resume", ...(model ? (["model-on-resume"] as const) : [])] : [];
}

/** What it prints; nothing when it fails, as an older one does on an option that it does not know. */
async function ask(binary: string, args: string[], { env }: ProviderAgent): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(binary, args, { env: { ...env } });
    return stdout;
  } catch {
    return "";
  }
}
