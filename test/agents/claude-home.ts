/** What makes the real claude talk to nothing but a model server on loopback. */

import type { ModelServer } from "../models/server.ts";

/** Environment for it; any key will do. A turn takes about 0.6 s and gives up at the first error. */
export function claudeEnvironment(server: Pick<ModelServer, "url">): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "secret",
    CLAUDE_CODE_MAX_RETRIES: "0",
  };
}
