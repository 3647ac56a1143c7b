/** The notice about processes that an agent left behind, which may still write to its session. */

import type { Notice } from "@reprise/core/session/decision";
import { shortLine } from "@reprise/core/text/short-line";
import type { ProcessInfo } from "@reprise/providers/launch/launcher";

/** `after` is what they outlived: the turn, or the program. */
export function survivorNotices(survivors: readonly ProcessInfo[], after: string): Notice[] {
  if (survivors.length === 0) return [];
  const named = (text: (command: string) => string) =>
    survivors.map(({ pid, command }) => `${text(command)} (${pid})`);
  const short = named((command) => shortLine(command)).join(", ");
  const whole = named((command) => command.trim());
  return [
    {
      code: "survivors",
      text: `Still running after the ${after}: ${short}.`,
      ...(whole.join(", ") !== short && { detail: whole.join("\n") }),
    },
  ];
}
