/** Finds out which opencode would be started, what it can do, and with which account. */

import { NotFoundError } from "@reprise/core/errors/errors";
import type { Ability } from "@reprise/core/session/pin";
import { askProgram, examineProgram, type ProgramOptions } from "../program.ts";
import type { Probe, ProbeTools, ProviderAgent } from "../provider.ts";
import { accountOf } from "./account.ts";
import { findBinary } from "./binary.ts";
import { homeOf, homeVariables } from "./home.ts";

export async function probe(agent: ProviderAgent, tools: ProbeTools): Promise<Probe> {
  const binary = findBinary(agent.settings.binary, agent.env.PATH);
  const env = { ...agent.env, ...homeVariables(agent), OPENCODE_DISABLE_AUTOUPDATE: "1" };
  const { version, abilities } = await examineProgram(binary, tools.cache, () =>
    look(binary, { env, timeout: tools.timeout }),
  );
  return {
    binary,
    runtime: { product: "opencode", home: await homeOf(agent), version, abilities },
    account: await accountOf(agent, tools.digest),
  };
}

async function look(binary: string, asking: ProgramOptions) {
  const said = await askProgram(binary, ["--version"], asking);
  const help = (await helpOf(binary, asking)) ?? "";
  const version = /^(\d+\.\d+\.\d+\S*)$/m.exec(said ?? "")?.[1];
  if (!version || (help !== "" && !/^opencode run\b/m.test(help)))
    throw new NotFoundError(
      "not-the-agent",
      `"${binary}" is not opencode: it did not answer --version and run --help as opencode does.`,
      "Set binary to the path of opencode.",
    );
  return { version, abilities: abilitiesIn(help) };
}

/** Opencode writes its help to standard error. */
function helpOf(binary: string, asking: ProgramOptions): Promise<string | null> {
  return askProgram("/bin/sh", ["-c", 'exec "$0" run --help 2>&1', binary], asking);
}

function abilitiesIn(help: string): Ability[] {
  const has = (option: string) => new RegExp(`^ +(-\\w, +)?${option}\\b`, "m").test(help);
  if (!["--session", "--format", "--dir"].every(has)) return [];
  return ["resume", ...(has("--model") ? (["model-on-resume"] as const) : [])];
}
