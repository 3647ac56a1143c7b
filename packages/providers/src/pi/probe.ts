/** Finds out which pi would be started, what it can do, and with which account. */

import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { NotFoundError } from "@reprise/core/errors/errors";
import type { Ability } from "@reprise/core/session/pin";
import { jsonLine } from "../files.ts";
import { askProgram, examineProgram, type ProgramOptions } from "../program.ts";
import type { Probe, ProbeTools, ProviderAgent } from "../provider.ts";
import { accountOf } from "./account.ts";
import { findBinary } from "./binary.ts";
import { homeOf } from "./home.ts";

export async function probe(agent: ProviderAgent, tools: ProbeTools): Promise<Probe> {
  const binary = findBinary(agent.settings.binary, agent.env.PATH);
  const home = await homeOf(agent);
  const env = { ...agent.env, PI_CODING_AGENT_DIR: home };
  const { version, abilities } = await examineProgram(binary, tools.cache, () =>
    look(binary, { env, timeout: tools.timeout }),
  );
  return {
    binary,
    runtime: { product: "pi", home, version, abilities },
    account: await accountOf(agent, home, tools.digest),
  };
}

async function look(binary: string, asking: ProgramOptions) {
  const said = (await packageVersion(binary)) ?? (await askProgram(binary, ["--version"], asking));
  // Extensions add flags to the help text; they are not needed for it.
  const help = (await askProgram(binary, ["--no-extensions", "--help"], asking)) ?? "";
  const version = /^(\d+\.\d+\.\d+\S*)$/m.exec(said ?? "")?.[1];
  if (!version || (help !== "" && !/^pi - /m.test(help)))
    throw new NotFoundError(
      "not-the-agent",
      `"${binary}" is not pi: it did not answer --version and --help as pi does.`,
      "Set binary to the path of pi.",
    );
  return { version, abilities: abilitiesIn(help) };
}

/** What the npm package says; null for any other program. */
async function packageVersion(binary: string): Promise<string | null> {
  const file = join(dirname(binary), "..", "..", "package.json");
  const text = await readFile(file, "utf8").catch(() => "{}");
  const { name, version } = (jsonLine(text) ?? {}) as { name?: string; version?: string };
  return name === "@earendil-works/pi-coding-agent" && version ? version : null;
}

function abilitiesIn(help: string): Ability[] {
  const has = (option: string) => new RegExp(`^ +${option}\\b`, "m").test(help);
  if (!["--session", "--session-id", "--session-dir", "--mode"].every(has)) return [];
  return ["resume", ...(has("--model") ? (["model-on-resume"] as const) : [])];
}
