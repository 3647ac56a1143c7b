/** What went wrong, and what to do. */

import { asProblem } from "../problem.ts";

export function ProblemNote({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null;
  const { message, hint } = asProblem(error);
  return (
    <div
      role="alert"
      className="rounded-md border border-bad bg-bad-soft px-3 py-2 text-sm text-bad"
    >
      <p className="font-medium whitespace-pre-wrap">{message}</p>
      {hint && <p className="whitespace-pre-wrap">{hint}</p>}
    </div>
  );
}
