/**
 * What Reprise adds to opencode's configuration, in `OPENCODE_CONFIG_CONTENT`. Opencode merges it last on every start, and
 * keeps nothing of it in a session, so it holds for a resumed turn as for a new one.
 */

import type { LaunchRequest, ProviderAgent } from "../provider.ts";
import { enforcement } from "./access.ts";
import { pathSeparator } from "./settings.ts";

type Config = Readonly<Record<string, unknown>>;

export function configuration(request: LaunchRequest): string {
  const { agent } = request;
  const own = ownConfiguration(agent.env.OPENCODE_CONFIG_CONTENT);
  const instructions = paths(agent.settings.instructionFiles);
  const skills = paths(agent.settings.skillPaths);
  const added: Config = {
    ...enforcement(request).config,
    autoupdate: false,
    share: "disabled",
    experimental: { openTelemetry: false },
    ...(instructions.length > 0 && { instructions }),
    ...(skills.length > 0 && { skills: { paths: skills } }),
  };
  return JSON.stringify(merged(own, added));
}

/** The configuration that the user's own environment has; opencode itself reports one that it cannot read. */
export function ownConfiguration(text: ProviderAgent["env"][string] | undefined): Config {
  try {
    const own: unknown = JSON.parse(text || "{}");
    return isTable(own) ? own : {};
  } catch {
    return {};
  }
}

/** As opencode merges: tables key by key, lists one after the other, anything else replaced. */
function merged(below: Config, above: Config): Config {
  const all: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const own = all[key];
    if (isTable(own) && isTable(value)) all[key] = merged(own, value);
    else if (Array.isArray(own) && Array.isArray(value)) all[key] = [...own, ...value];
    else all[key] = value;
  }
  return all;
}

function isTable(value: unknown): value is Config {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function paths(value: string | undefined): string[] {
  return (value ?? "")
    .split(pathSeparator)
    .map((path) => path.trim())
    .filter((path) => path !== "");
}
