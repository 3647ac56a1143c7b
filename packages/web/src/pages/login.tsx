/** Asks for the token, where the page was opened without it, or with one that is not known. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { login } from "../api.ts";
import { useTitle } from "../hooks/use-title.ts";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { ServerProblem } from "../problem.ts";

const unknownToken = new ServerProblem({
  status: 401,
  detail: "The token in the address is not known, or it was revoked.",
});

interface LoginPageProps {
  /** The address had a token that the server does not know. */
  readonly refused: boolean;
  readonly onEntered: () => void;
}

export function LoginPage({ refused, onEntered }: LoginPageProps) {
  useTitle("Token");
  const [token, setToken] = useState("");
  const field = useId();
  const queries = useQueryClient();
  const enter = useMutation({
    mutationFn: () => login(token.trim()),
    onSuccess: async () => {
      await queries.resetQueries();
      onEntered();
    },
  });
  return (
    <main className="mx-auto max-w-md px-4 py-16">
      <h1 className="text-xl font-semibold">Reprise needs its token</h1>
      <p className="mt-2 text-sm text-muted">
        It was printed when the server was started, and lies in the file <code>token</code> of its
        home.
      </p>
      <form
        className="mt-6 space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          enter.mutate();
        }}
      >
        <label htmlFor={field} className="block text-sm font-medium">
          Token
        </label>
        <input
          id={field}
          type="password"
          autoComplete="current-password"
          value={token}
          onChange={(event) => setToken(event.target.value)}
          className="w-full rounded-md border border-line bg-surface px-3 py-2 font-mono text-sm"
        />
        <ProblemNote error={enter.error ?? (refused ? unknownToken : null)} />
        <Button primary type="submit" disabled={enter.isPending || token.trim() === ""}>
          Enter
        </Button>
      </form>
    </main>
  );
}
