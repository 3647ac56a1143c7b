/** The options that a turn and its explanation share, as the Reprise API takes them. */

import { resolve } from "node:path";
import type { Explain } from "@reprise/core/api/reprise";
import { sessionKey } from "@reprise/core/session/key";
import type { Surface } from "@reprise/core/session/policy";

export interface ContinuityOptions {
  readonly agent?: string;
  readonly reseed?: boolean;
  readonly blank?: boolean;
  readonly folder?: string;
  readonly model?: string;
  readonly surface?: Surface;
}

export function continuityRequest(cwd: string, key: string, options: ContinuityOptions): Explain {
  const { agent, reseed, blank, folder, model, surface } = options;
  return {
    key: sessionKey(key),
    agent: agent ?? null,
    continuity: reseed ? "reseed" : blank ? "blank" : null,
    folder: folder === undefined ? null : resolve(cwd, folder),
    model: model ?? null,
    ...(surface && { surface }),
  };
}
