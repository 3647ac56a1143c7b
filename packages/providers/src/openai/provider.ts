/** Models behind a Chat Completions API, at any address: docs/providers/openai.md says how they are driven. */

import { join } from "node:path";
import { reader } from "../bridge-reader.ts";
import { bridgePath, defineProvider } from "../define-provider.ts";
import { realPath } from "../files.ts";
import type { Provider, ProviderAgent } from "../provider.ts";
import { isStrictSchema } from "../strict-schema.ts";
import { accountOf, lacksLogin } from "./account.ts";
import { chatBridge } from "./bridge.ts";
import { command, compact } from "./command.ts";
import { copyIn, copyOut, readHistory, relocate } from "./history.ts";
import * as identity from "./identity.ts";
import { manifest } from "./manifest.ts";
import { checkSettings } from "./settings.ts";

export const openai: Provider = defineProvider({
  manifest,
  validate: checkSettings,
  async probe(agent, { digest }) {
    return {
      binary: bridgePath(chatBridge),
      runtime: {
        ...identity,
        abilities: ["resume", "model-on-resume"],
        home: await homeOf(agent),
      },
      account: accountOf(agent, digest),
    };
  },
  lacksLogin,
  takesSchema: isStrictSchema,
  command,
  compact,
  reader,
  place: homeOf,
  observe: readHistory,
  copyOut,
  copyIn,
  relocate,
});

function homeOf({ settings, privateFolder }: ProviderAgent): Promise<string> {
  return realPath(settings.home ?? join(privateFolder, "openai"));
}
