/** Finds out which claude would be started, what it can do, and for whom. */

import { NotFoundError } from "@reprise/core/errors/errors";
import type { Ability } from "@reprise/core/session/pin";
import { type Asking, ask, examine } from "../program.ts";
import type { Probe, ProbeTools, ProviderAgent } from "../provider.ts";
import { accountOf } from "./account.ts";
import { findBinary } from "./binary.ts";
import { homeOf } from "./home.ts";
import { binariesOf } from "./settings.ts";

export async function probe(agent: ProviderAgent, tools: ProbeTools): Promise<Probe> {
  const binary = findBinary(binariesOf(agent.settings), agent.env.PATH);
  const { version, abilities } = await examine(binary, tools.cache, () =>
    look(binary, { env: agent.env, timeout: tools.timeout }),
  );
  return {
    binary,
    runtime: { product: "claude-code", home: await homeOf(agent), version, abilities },
    account: await accountOf(agent, tools.digest),
  };
}

async function look(binary: string, asking: Asking) {
  const version = /^(\S+) \(Claude Code\)/m.exec(
    (await ask(binary, ["--version"], asking)) ?? "",
  )?.[1];
  if (!version)
    throw new NotFoundError(
      "not-the-agent",
      `"${binary}" is not claude: it did not answer --version as claude does.`,
      "Set binary to the path of claude.",
    );
  return { version, abilities: await abilitiesOf(binary, asking) };
}

async function abilitiesOf(binary: string, asking: Asking): Promise<Ability[]> {
  const help = (await ask(binary, ["--help"], asking)) ?? "";
  const has = (option: string) => new RegExp(`^ +(-\\w, )?${option}\\b`, "m").test(help);
  if (!has("--resume") || !has("--session-id")) return [];
  return ["resume", ...(has("--model") ? (["model-on-resume"] as const) : [])];
}
