/** Where the small executables of Reprise are: beside the bundle, or as source. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const sources = {
  "claude-command-hook": "./claude/command-hook.ts",
  "claude-hook": "./claude/hook.ts",
  "scripted-agent": "./scripted/agent.ts",
} as const;

export type Bridge = keyof typeof sources;

export function bridgePath(name: Bridge): string {
  const bundled = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  return existsSync(bundled) ? bundled : fileURLToPath(new URL(sources[name], import.meta.url));
}
