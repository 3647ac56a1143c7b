/** `set`: changes or removes a session's own settings. */

import { parse } from "@reprise/core/api/parse";
import type { SessionView, SetSession } from "@reprise/core/api/reprise";
import { setSessionSchema } from "@reprise/core/api/schemas";
import { readSessionSettings } from "@reprise/core/settings/settings";
import { actor, type Engine } from "../engine.ts";
import { sessionView } from "./sessions.ts";

export async function setSession(engine: Engine, input: SetSession): Promise<SessionView> {
  const { key, settings, by } = parse(setSessionSchema(), input);
  return sessionView(
    await engine.store.setSession({
      key,
      settings: readSessionSettings(settings),
      by: actor(engine, by),
      at: engine.now(),
    }),
  );
}
