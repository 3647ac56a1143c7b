/** What the bridge needs to know about one turn, as its first argument. */

import type { Access } from "@reprise/core/session/access";

export interface BridgeOrder {
  /** Folder with what Reprise knows of the agent's sessions. */
  readonly place: string;
  /** The session to continue; null for a new one. */
  readonly resume: string | null;
  /** The work folder. */
  readonly folder: string;
  readonly model: string | null;
  /** Way to log in that needs no person. */
  readonly login: string | null;
  readonly access: Access;
  readonly allowedCommands: readonly string[];
  readonly hidden: readonly string[];
}
