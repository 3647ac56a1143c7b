/** What the scripted agent is when no script says otherwise. */

import type { Ability } from "@reprise/core/session/pin";

export const product = "scripted";
export const version = "1.0.0";
export const abilities: readonly Ability[] = ["resume", "model-on-resume"];
