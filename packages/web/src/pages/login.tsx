/** Asks for the token, where the page was opened without one or with an unknown one. */

import { DeniedError } from "@reprise/core/errors/errors";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTitleOnly } from "../hooks/use-title.ts";
import { Button } from "../parts/button.tsx";
import { ProblemNote, type ShownProblem } from "../parts/problem-note.tsx";
import { login } from "../reprise.ts";

const unknownInAddress = { message: "The token in the address is unknown or was revoked." };
const unknown = { message: "This token is unknown or was revoked." };

interface LoginPageProps {
  /** The address had an unknown token. */
  readonly refused: boolean;
  readonly onEntered: () => void;
}

export function LoginPage({ refused, onEntered }: LoginPageProps) {
  useTitleOnly("Log in");
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
      <h1 className="text-xl font-semibold">Enter your token</h1>
      <p className="mt-2 text-sm text-muted">
        <code>reprise up</code> prints it when it starts the server. It is also in the file{" "}
        <code>token</code> in Reprise's home folder.
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
        <ProblemNote error={problemOf(enter.error) ?? (refused ? unknownInAddress : null)} />
        <Button primary type="submit" disabled={enter.isPending || token.trim() === ""}>
          Log in
        </Button>
      </form>
    </main>
  );
}

/** The server's hint is for callers that send a header. */
function problemOf(error: Error | null): ShownProblem | null {
  return error instanceof DeniedError ? unknown : error;
}
