/** What makes the real claude talk to nothing but a model server on loopback. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelServer } from "@reprise/providers/models/server";

/** Environment for it; any key will do. A turn takes about 0.6 s and gives up at the first error. */
export function claudeEnvironment(server: Pick<ModelServer, "url">): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "secret",
    CLAUDE_CODE_MAX_RETRIES: "0",
  };
}

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
