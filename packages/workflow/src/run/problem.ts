/** Why a node cannot run with its inputs; it fails with this error. */

import type { ErrorView } from "@reprise/core/errors/errors";

export interface RunProblem {
  readonly problem: ErrorView;
}

export function problem(code: string, message: string, hint: string): RunProblem {
  return { problem: { code, message, hint } };
}
