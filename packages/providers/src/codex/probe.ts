/** Finds out which codex would be started, what it can do, and with which account. */

import { NotFoundError } from "@reprise/core/errors/errors";
import type { Ability } from "@reprise/core/session/pin";
import { askProgram, examineProgram, type ProgramOptions } from "../program.ts";
import type { Probe, ProbeTools, ProviderAgent } from "../provider.ts";
import { accountOf } from "./account.ts";
import { findBinary } from "./binary.ts";
import { homeOf } from "./home.ts";

export async function probe(agent: ProviderAgent, tools: ProbeTools): Promise<Probe> {
  const binary = findBinary(agent.settings.binary, agent.env.PATH);
  const home = await homeOf(agent);
  const { version, abilities } = await examineProgram(binary, tools.cache, () =>
    look(binary, { env: agent.env, timeout: tools.timeout }),
  );
  return {
    binary,
    runtime: { product: "codex", home, version, abilities },
    account: await accountOf(agent, home, tools.digest),
  };
}

async function look(binary: string, asking: ProgramOptions) {
  const said = (await askProgram(binary, ["--version"], asking)) ?? "";
  const version = /^codex-cli (\S+)/m.exec(said)?.[1];
  if (!version)
    throw new NotFoundError(
      "not-the-agent",
      `"${binary}" is not codex: it did not answer --version as codex does.`,
      "Set binary to the path of codex.",
    );
  return { version, abilities: await abilitiesOf(binary, asking) };
}

async function abilitiesOf(binary: string, asking: ProgramOptions): Promise<Ability[]> {
  const help = (await askProgram(binary, ["exec", "resume", "--help"], asking)) ?? "";
  const resume = help.includes("[SESSION_ID]") && help.includes("--json");
  const model = /^\s*-m, --model/m.test(help);
  return resume ? ["resume", ...(model ? (["model-on-resume"] as const) : [])] : [];
}
