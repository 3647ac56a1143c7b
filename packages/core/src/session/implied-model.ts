/** The model of a turn that names none, in a session that would continue with the one of an earlier turn. */

import type { Pin } from "./pin.ts";

/**
 * `defaultModel` is the provider's name for its default, where a session keeps the model of its last turn.
 * Null: no model needs to be named, because the session is already on its default.
 */
export function impliedModel(
  wanted: string | null,
  pin: Pin | null,
  defaultModel: string | undefined,
): string | null {
  if (wanted !== null || pin === null || defaultModel === undefined) return null;
  // A turn that was cut off may have left the session on its model.
  const strayed = pin.model !== null || pin.ran !== pin.usual || pin.residue !== null;
  return strayed ? (pin.usual ?? defaultModel) : null;
}

/** `default`, with the actual model if it is known. */
export function modelName(model: string | null, actual: string | undefined): string {
  if (model !== null) return model;
  return actual === undefined ? "default" : `default (${actual})`;
}
