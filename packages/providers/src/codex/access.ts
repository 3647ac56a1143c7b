/**
 * Access as codex enforces it: a permission profile of its sandbox. A profile from `--config` overrides a `sandbox_mode`
 * or a profile in codex's own configuration file, and `--sandbox` overrides any profile (0.166). So `read` and `edit`
 * do not pass the flag. Versions without profiles get the flag, which hides no files.
 */

import { existsSync } from "node:fs";
import { type Access, higher } from "@reprise/core/session/access";
import type { LaunchRequest } from "../provider.ts";
import { configOf, sandbox } from "./settings.ts";

type Settings = Readonly<Record<string, string>>;

const givenBySandbox: Readonly<Record<string, Access>> = {
  "read-only": "read",
  "workspace-write": "edit",
  "danger-full-access": "full",
  bypass: "full",
};

/** Keys of codex's configuration that widen its sandbox, or start programs outside of it. */
const raising =
  /^(sandbox_mode|sandbox_workspace_write|sandbox_permissions|default_permissions|permissions|mcp_servers|notify|hooks|profile|profiles|projects)(\.|$)/;

export function given(settings: Settings): Access | null {
  const bySandbox = givenBySandbox[settings.sandbox ?? ""] ?? null;
  const raises = configOf(settings).some(([key]) => raising.test(key));
  return raises ? higher("full", bySandbox) : bySandbox;
}

/** The first version with profiles that can deny a path. */
const profiles = [0, 138];

/** The flags for the sandbox, and those of the agent's own configuration that go with it. */
export function accessFlags({ agent, runtime, access }: LaunchRequest): {
  readonly sandbox: readonly string[];
  readonly config: readonly string[];
} {
  const { settings } = agent;
  const { level, named } = access;
  const config = configOf(settings);
  if (level === "full") {
    const isOff = given(settings) === "full" && settings.sandbox !== undefined;
    return {
      sandbox: !named || isOff ? sandbox(settings) : ["--sandbox", "danger-full-access"],
      config: config.map(configFlag),
    };
  }
  const kept = config.filter(([key]) => !raising.test(key)).map(configFlag);
  if (!hasProfiles(runtime.version))
    return {
      sandbox: ["--sandbox", level === "read" ? "read-only" : "workspace-write"],
      config: kept,
    };
  // Codex would create a missing path for the sandbox, and leave it there.
  const hidden = access.hidden.filter((path) => existsSync(path));
  const profile: [key: string, value: string][] = [
    ["default_permissions", '"reprise"'],
    ["permissions.reprise.extends", level === "read" ? '":read-only"' : '":workspace"'],
    ...(hidden.length > 0
      ? ([["permissions.reprise.filesystem", denied(hidden)]] as [string, string][])
      : []),
  ];
  return { sandbox: profile.map(configFlag), config: kept };
}

function configFlag([key, value]: readonly [string, string]): string {
  return `--config=${key}=${value}`;
}

/** An inline table of TOML. */
function denied(paths: readonly string[]): string {
  return `{${paths.map((path) => `${JSON.stringify(path)}="deny"`).join(",")}}`;
}

function hasProfiles(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > profiles[0]! || (major === profiles[0] && minor >= profiles[1]!);
}
