/** The access that the agent's command grants by itself. */

import type { Access } from "@reprise/core/session/access";

/** Flags with which known agents act without asking. */
const acting = /^-.*(yolo|dangerously|bypass|full-auto|full-access|(allow|trust)-all)/i;

export function given({ command = "" }: Readonly<Record<string, string>>): Access | null {
  return command.split(/[\s"',[\]]+/).some((word) => acting.test(word)) ? "full" : null;
}
