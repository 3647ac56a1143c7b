/** What makes the real opencode talk to nothing but a model server on loopback. */

import type { ModelServer } from "@reprise/providers/models/server";

/** As opencode names it: the service of its configuration, and one of its models. */
export const opencodeModel = "loopback/test-model";

/** Environment for it; any key will do. A turn takes about 3 s. */
export function opencodeEnvironment({ url }: Pick<ModelServer, "url">): Record<string, string> {
  const model = (name: string) => ({ name, limit: { context: 1_000_000, output: 8000 } });
  const config = {
    model: opencodeModel,
    small_model: opencodeModel,
    provider: {
      loopback: {
        npm: "@ai-sdk/openai-compatible",
        name: "Loopback",
        options: { baseURL: `${url}/v1`, apiKey: "{env:REPRISE_TEST_OPENCODE_KEY}" },
        models: { "test-model": model("Test"), "other-model": model("Other") },
      },
    },
  };
  return {
    REPRISE_TEST_OPENCODE_KEY: "a-secret-of-tests",
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  };
}
