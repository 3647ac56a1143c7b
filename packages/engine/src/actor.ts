/** Who did something, as events record it. */

import type { Engine } from "./engine.ts";
import { userName } from "./user-name.ts";

/** `by` if the caller gave it; otherwise the turn in which this process was started, or the user. */
export function actor(
  { within, env }: Pick<Engine, "within" | "env">,
  by: string | null | undefined,
): string {
  return by ?? (within === null ? userName(env) : `turn:${within}`);
}
