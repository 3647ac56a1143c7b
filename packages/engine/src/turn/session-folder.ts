/**
 * The folder of a session. A key stays in its folder. The first of these that is known is used: the
 * caller's `folder`, the pin's, that of the last launched turn, the agent's, the caller's current folder.
 */

import type { TurnRequest } from "@reprise/core/session/turn";
import type { Agent } from "@reprise/store/contract/agents";
import type { SessionFacts } from "@reprise/store/contract/sessions";
import type { Store } from "@reprise/store/store";
import type { Engine } from "../engine.ts";
import { workFolder } from "./folder.ts";

export interface SessionFolder {
  readonly folder: string;
  /** It does not exist, or cannot be read. */
  readonly gone: boolean;
}

export function sessionFolder(
  { cwd }: Pick<Engine, "cwd">,
  agent: Pick<Agent, "folder">,
  { pin, lastLaunch }: Pick<SessionFacts, "pin" | "lastLaunch">,
  request: Pick<TurnRequest, "folder" | "cwd">,
): SessionFolder {
  const wanted =
    request.folder ?? pin?.folder ?? lastLaunch?.folder ?? agent.folder ?? request.cwd ?? cwd;
  try {
    return { folder: workFolder(wanted, cwd), gone: false };
  } catch {
    return { folder: wanted, gone: true };
  }
}

/** The folder of the newest turn of a key that was launched; null when none was. */
export async function lastFolder(
  store: Pick<Store, "listTurns">,
  key: string,
): Promise<string | null> {
  for (let before: number | undefined; ; ) {
    const turns = await store.listTurns({
      key,
      limit: 20,
      ...(before !== undefined && { before }),
    });
    for (const { attempts } of turns) {
      const launched = attempts.findLast(({ launch }) => launch !== null);
      if (launched?.launch) return launched.launch.folder;
    }
    before = turns.at(-1)?.seq ?? 1;
    if (before <= 1) return null;
  }
}
