/** The settings of an openai agent, and what follows from them: the address, the key and the model. */

import { UsageError } from "@reprise/core/errors/errors";
import { secretSetting } from "../define-provider.ts";
import type { SettingsSchema } from "../manifest.ts";
import type { ProviderAgent } from "../provider.ts";
import { parametersIn } from "./parameters.ts";

export const keyVariable = "OPENAI_API_KEY";
const addressVariable = "OPENAI_BASE_URL";
export const defaultAddress = "https://api.openai.com/v1";

export const settings: SettingsSchema = {
  properties: {
    model: {
      description: "The model, where neither the agent nor the call names one.",
      pattern: "\\S+",
    },
    baseUrl: {
      description: `Address of the service, up to where /chat/completions begins. Default: ${addressVariable} of the environment, else ${defaultAddress}.`,
      pattern: "https?://\\S+",
    },
    apiKey: {
      description: `The API key of the service. Default: ${keyVariable} of the environment; a service of your own may need none.`,
      format: "secret",
    },
    contextTokens: {
      description:
        "Largest request in tokens, estimated with four bytes each; the oldest turns of a longer conversation are left out. Default: no limit.",
      pattern: "[1-9][0-9]{0,8}",
    },
    schemas: {
      description:
        "How the schema of an answer is sent: native (default) as response_format, prompt in the message, for a service without it.",
      enum: ["native", "prompt"],
      default: "native",
    },
    home: {
      description: "Folder of the conversations (absolute path). Default: one of its own.",
      format: "path",
    },
  },
  patternProperties: {
    "^param\\.": {
      title: "param.KEY",
      description: "A further parameter of the request, as in param.temperature=0.2.",
    },
  },
};

/** @throws UsageError for settings that cannot be used. */
export async function checkSettings(agent: ProviderAgent): Promise<void> {
  parametersIn(agent.settings);
  addressOf(agent);
}

/** @throws UsageError for one that is not an address, or has a credential in it. */
export function addressOf({ settings: { baseUrl }, env }: ProviderAgent): string {
  const address = baseUrl ?? (env[addressVariable]?.trim() || defaultAddress);
  const name = baseUrl === undefined ? addressVariable : "the setting baseUrl";
  const url = URL.parse(address);
  // Not quoted: it may contain a password.
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      "bad-setting",
      `The address of the service, from ${name}, is not an http or https address.`,
      `Give one such as ${defaultAddress}.`,
    );
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new UsageError(
      "bad-setting",
      `The address of the service, from ${name}, has a user, a password, a query or a fragment.`,
      `Put a credential into ${keyVariable}, and give the address alone, such as ${defaultAddress}.`,
    );
  return url.href.replace(/\/+$/, "");
}

/** Undefined for a service that needs none. @throws NotFoundError when the variable that `apiKey` names is not set. */
export function keyOf(agent: ProviderAgent): string | undefined {
  return secretSetting(agent, "apiKey") ?? (agent.env[keyVariable] || undefined);
}
