/** Which settings file a command is about, and what a person must know besides. */

import type { ConfigScope } from "@reprise/engine/config";
import type { Cli } from "../cli.ts";

export interface ScopeOptions {
  readonly user?: boolean;
  readonly project?: boolean;
}

export function scopeOf({ project }: ScopeOptions): ConfigScope {
  return project ? "project" : "user";
}

/** Says so when the value that counts comes from elsewhere than `file`. */
export async function coverRemark(cli: Cli, name: string, file: string | null): Promise<void> {
  const { readSettings } = await import("@reprise/engine/config");
  const { env, cwd } = cli;
  // Another file may be wrong; that is for the command that needs it.
  const settings = await readSettings({ flags: {}, env, cwd }).catch(() => null);
  const now = settings?.list.find((setting) => setting.name === name);
  if (now === undefined || now.origin === (file ?? "default")) return;
  cli.remark(`${name} is ${now.value}: that comes from ${originText(now.origin)}.`);
}

function originText(origin: string): string {
  return origin === "environment" ? "the environment" : origin;
}
