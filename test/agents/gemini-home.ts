/** What makes the real gemini talk to nothing but a model server on loopback. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelServer } from "@reprise/providers/models/server";

/** The name of a model of gemini's: with another one it first asks a model which model to use. */
export const geminiModel = "gemini-2.5-flash";

const { NODE_COMPILE_CACHE } = process.env;

/** Environment for it; any key will do. */
export function geminiEnvironment({ url }: Pick<ModelServer, "url">): Record<string, string> {
  return {
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: "secret",
    // Half of a short turn would be the compilation of gemini.
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
  };
}

/** A home whose owner uses the key. A turn takes about 1 s and gives up at the first error. */
export async function makeGeminiHome(home: string): Promise<void> {
  const folder = join(home, ".gemini");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" } },
    model: { name: geminiModel },
    general: { maxAttempts: 1, enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  };
  await writeFile(join(folder, "settings.json"), JSON.stringify(settings));
}
