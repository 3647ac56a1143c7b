/** Which settings file a command changes, and whether another value overrides it. */

import type { ConfigScope } from "@reprise/engine/config";
import type { Cli } from "../cli.ts";

export interface ScopeOptions {
  readonly user?: boolean;
  readonly project?: boolean;
}

export function scopeOf({ project }: ScopeOptions): ConfigScope {
  return project ? "project" : "user";
}

/** Remarks when the effective value does not come from `file`. */
export async function coverRemark(cli: Cli, name: string, file: string | null): Promise<void> {
  const { readSettings } = await import("@reprise/engine/config");
  const { env, cwd } = cli;
  // Another file may be invalid; the command that needs it reports that.
  const settings = await readSettings({ flags: {}, env, cwd }).catch(() => null);
  const now = settings?.list().find((setting) => setting.name === name);
  if (now === undefined || now.origin === (file ?? "default")) return;
  cli.remark(`${name} is ${now.value}: that comes from ${originText(now.origin)}.`);
}

function originText(origin: string): string {
  return origin === "environment" ? "the environment" : origin;
}
