/** The manifest of API models. */

import type { ProviderManifest } from "../manifest.ts";
import { howToLogIn } from "./account.ts";
import { chatBridge } from "./bridge.ts";
import * as identity from "./identity.ts";
import { settings } from "./settings.ts";

const withoutTools = "The model has no tools: it sees its prompts and nothing else.";

export const manifest: ProviderManifest = {
  name: "openai",
  title: "API models",
  runners: ["openai"],
  outputs: ["conversationHistory"],
  program: {
    product: identity.product,
    tested: [identity.version],
    install: "It comes with Reprise; the service needs an API key in OPENAI_API_KEY.",
    login: howToLogIn,
  },
  abilities: ["resume", "model-on-resume", "keep-instructions", "fork-copy", "compact", "schema"],
  settings,
  access: {
    levels: {
      read: withoutTools,
      edit: `The same as read: it has no tools.`,
      full: `The same as read: it has no tools.`,
    },
    limits: [],
    asks: false,
    given: () => null,
  },
  ids: "caller",
  idPattern: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  maxPrompt: 8 * 1024 * 1024,
  usage: "turn",
  checkpoint: "state",
  bridges: [chatBridge],
};
