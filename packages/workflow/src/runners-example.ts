/** Runners for the tests of the loader. */

import type { Runner } from "./runners.ts";

export const exampleRunners: readonly Runner[] = [
  { name: "claude-code", provider: "claude", available: true, asks: true },
  { name: "codex", provider: "codex", available: true },
  { name: "scripted", provider: "scripted", available: true },
  { name: "gemini-cli", provider: "gemini", available: false },
  { name: "openai", provider: "openai", available: false, outputs: ["conversationHistory"] },
];
