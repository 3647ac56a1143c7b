/** A home for the real pi that knows nothing but a model server on loopback. */

import { writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelServer } from "@reprise/providers/models/server";

/** The variable that carries the API key; any value will do. */
export const piKey = "REPRISE_TEST_KEY";
/** What this variable has is sent with every request. */
export const piNote = "REPRISE_TEST_NOTE";
export const noteHeader = "x-note";

/** Those of the tests, since it takes no others; the last two would be flags of a session. */
const models = [
  ...["test-model", "other-model", "another-model", "small", "large"],
  ...["--continue", "--resume=last"],
];

const settings = {
  defaultProvider: "loopback",
  defaultModel: "test-model",
  retry: { enabled: false },
  // Otherwise it has nothing to compact in a short session.
  compaction: { keepRecentTokens: 1 },
};

/** Makes the folder `home` and its settings. A turn takes about 0.5 s and gives up at the first error. */
export async function makePiHome(home: string, { url }: Pick<ModelServer, "url">): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const loopback = {
    baseUrl: `${url}/v1`,
    api: "openai-completions",
    apiKey: `$${piKey}`,
    headers: { [noteHeader]: `$${piNote}` },
    models: models.map((id) => ({ id })),
  };
  const write = (name: string, content: object) =>
    writeFile(join(home, name), JSON.stringify(content));
  await Promise.all([
    write("models.json", { providers: { loopback } }),
    write("settings.json", settings),
  ]);
}

export function piEnvironment(): Record<string, string> {
  return { [piKey]: "secret", [piNote]: "none" };
}

/** From now on it does not compact by itself. */
export function compactOnlyWhenAsked(home: string): void {
  const compaction = { ...settings.compaction, enabled: false };
  writeFileSync(join(home, "settings.json"), JSON.stringify({ ...settings, compaction }));
}
