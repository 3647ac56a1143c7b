/** `compact`: the next turn shortens the session, by its provider or with a new provider session that begins with a summary. */

import { parse } from "@reprise/core/api/parse";
import type { CompactSession, SessionView } from "@reprise/core/api/reprise";
import { compactSchema } from "@reprise/core/api/schemas";
import type { Engine } from "../engine.ts";
import { sessionView } from "./sessions.ts";

export async function compactSession(engine: Engine, input: CompactSession): Promise<SessionView> {
  const { key, focus } = parse(compactSchema(), input);
  const at = engine.now();
  return sessionView(await engine.store.compactSession({ key, focus: focus ?? null, at }));
}
