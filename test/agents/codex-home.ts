/** A home for the real codex that knows nothing but a model server on loopback. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelServer } from "@reprise/providers/models/server";

/** The variable that carries the API key; any value will do. */
export const codexKey = "REPRISE_TEST_KEY";

/** Makes the folder `home` and its config.toml. A turn takes about 0.3 s and gives up at the first error. */
export async function makeCodexHome(home: string, server: Pick<ModelServer, "url">): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(
    join(home, "config.toml"),
    `model = "test-model"
model_provider = "loopback"

[model_providers.loopback]
name = "Loopback"
base_url = "${server.url}/v1"
wire_api = "responses"
env_key = "${codexKey}"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[features]
plugins = false
`,
  );
}
