/** The settings of a codex agent, and which of codex's own are refused. */

import { UsageError } from "@reprise/core/errors/errors";
import { checkAgentSettings } from "../define-provider.ts";
import type { SettingsSchema } from "../manifest.ts";

type Settings = Readonly<Record<string, string>>;

const sandboxFlags: Readonly<Record<string, readonly string[]>> = {
  "read-only": ["--sandbox", "read-only"],
  "workspace-write": ["--sandbox", "workspace-write"],
  "danger-full-access": ["--sandbox", "danger-full-access"],
  bypass: ["--dangerously-bypass-approvals-and-sandbox"],
};

const configPrefix = "config.";
const configKey = /^\w[\w-]*(\.[\w-]+)*$/;

/** Keys that would put a secret on the command line, or the history where Reprise does not look for it. */
const refused: readonly [RegExp, string][] = [
  [
    /(^|[.{,\s"'])(experimental_bearer_token|http_headers)\b/,
    "Put the secret into the environment and name it with env_key or env_http_headers.",
  ],
  [/^(experimental_thread_store|sqlite_home)\b/, "Leave codex's history in its home."],
];

export const settings: SettingsSchema = {
  properties: {
    binary: {
      description: "Path of the codex program. Default: the codex on the PATH.",
      format: "program",
    },
    home: {
      description: "CODEX_HOME of this agent. Default: that of the environment, else ~/.codex.",
      format: "path",
    },
    sandbox: {
      description:
        "read-only (default), workspace-write, danger-full-access, or bypass for no sandbox at all.",
      enum: Object.keys(sandboxFlags),
      default: "read-only",
    },
  },
  patternProperties: {
    "^config\\.": {
      title: "config.KEY",
      description:
        "A value of codex's own configuration for this agent, as for codex -c KEY=VALUE.",
    },
  },
};

/** @throws UsageError for a setting that codex does not have or that cannot be used. */
export function checkSettings(values: Settings): void {
  checkAgentSettings({ name: "codex", settings }, values);
  for (const [key, value] of configOf(values)) {
    if (!configKey.test(key))
      throw new UsageError(
        "bad-setting",
        `"${key}" is not a key of codex's configuration.`,
        "Use a dotted key, as in config.model_reasoning_effort=high.",
      );
    const [, hint] = refused.find(([pattern]) => pattern.test(`${key}=${value}`)) ?? [];
    if (hint)
      throw new UsageError("bad-setting", `The setting config.${key} is not allowed.`, hint);
  }
}

/** Codex does not keep the policy of the previous turn, so every turn sets it. */
export function sandbox({ sandbox: mode = "read-only" }: Settings): readonly string[] {
  const flags = Object.hasOwn(sandboxFlags, mode) ? sandboxFlags[mode] : undefined;
  if (flags) return flags;
  throw new UsageError(
    "bad-setting",
    `"${mode}" is not a sandbox of codex.`,
    `Use one of: ${Object.keys(sandboxFlags).join(", ")}.`,
  );
}

/** The `config.` settings as codex's keys and values. */
export function configOf(settings: Settings): [key: string, value: string][] {
  return Object.entries(settings)
    .filter(([name]) => name.startsWith(configPrefix))
    .map(([name, value]) => [name.slice(configPrefix.length), value]);
}
