/** Why a node can not be carried out with what it got; it fails with this error. */

import type { ErrorView } from "../../errors/errors.ts";

export interface Problem {
  readonly problem: ErrorView;
}

export function problem(code: string, message: string, hint: string): Problem {
  return { problem: { code, message, hint } };
}
