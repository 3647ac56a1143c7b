/** What makes the real claude talk to nothing but a model server on loopback. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelServer } from "@reprise/providers/models/server";
import { patience } from "../until.ts";

/** Environment for it; any key will do. A turn takes about 0.6 s and gives up at the first error. */
export function claudeEnvironment(server: Pick<ModelServer, "url">): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "secret",
    CLAUDE_CODE_MAX_RETRIES: "0",
  };
}

/**
 * With `--print` it does not wait long for the MCP servers of its plugins before the first request, and on a machine
 * with much other work they need longer.
 */
export const claudeWithPlugins: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_MCP_STARTUP_WAIT_MS: String(patience),
  MCP_CONNECTION_NONBLOCKING: "0",
  MCP_TIMEOUT: String(patience),
};

/** A home whose owner has been through claude's first start, trusts the folder, and uses the key. */
export function makeClaudeHome(
  home: string,
  folder: string,
  { ANTHROPIC_API_KEY = "" }: Readonly<Record<string, string>>,
): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const config = {
    hasCompletedOnboarding: true,
    theme: "dark",
    // Claude knows a key by its end.
    customApiKeyResponses: { approved: [ANTHROPIC_API_KEY.slice(-20)], rejected: [] },
    projects: { [folder]: { hasTrustDialogAccepted: true } },
  };
  writeFileSync(join(home, ".claude.json"), JSON.stringify(config));
}
