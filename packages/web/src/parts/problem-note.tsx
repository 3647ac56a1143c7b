/** What went wrong, and what to do. */

import { asCommands } from "@reprise/core/api/verb-commands";

export interface ShownProblem {
  readonly message: string;
  readonly hint?: string;
  readonly code?: string;
}

export function ProblemNote({ error }: { readonly error: ShownProblem | null | undefined }) {
  if (!error) return null;
  const { message, hint } = error.code === "unreachable" ? unreachable : error;
  return (
    <div
      role="alert"
      className="rounded-md border border-bad bg-bad-soft px-3 py-2 text-sm text-bad"
    >
      <p className="font-medium whitespace-pre-wrap">{message}</p>
      {hint && <p className="whitespace-pre-wrap">{asCommands(hint)}</p>}
    </div>
  );
}

const unreachable: ShownProblem = {
  message: "The server does not respond.",
  hint: "Start it with: reprise up. This page reconnects automatically.",
};
