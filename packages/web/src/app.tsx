/** The pages and their addresses. */

import { DeniedError } from "@reprise/core/errors/errors";
import { lazy, Suspense, useCallback, useRef, useState } from "react";
import { Route, Switch, useLocation } from "wouter";
import { Header } from "./header.tsx";
import { useCaller } from "./hooks/use-caller.ts";
import { useInbox } from "./hooks/use-inbox.ts";
import { Help } from "./keys/help.tsx";
import { useKeys } from "./keys/use-keys.ts";
import { LiveConnection } from "./live/live-connection.tsx";
import { InboxPage } from "./pages/inbox/inbox-page.tsx";
import { LoginPage } from "./pages/login.tsx";
import { NotFoundPage } from "./pages/not-found.tsx";
import { RunsPage } from "./pages/runs/runs-page.tsx";
import { StartPage } from "./pages/runs/start-page.tsx";
import { SessionPage } from "./pages/session/session-page.tsx";
import { SessionsPage } from "./pages/sessions/sessions-page.tsx";
import { ErrorBoundary } from "./parts/error-boundary.tsx";
import { LoadingNote } from "./parts/loading.tsx";

/** Loaded with its first use: it brings the layout of graphs along. */
const RunPage = lazy(async () => ({
  default: (await import("./pages/run/run-page.tsx")).RunPage,
}));

interface AppProps {
  /** The address had an unknown token. */
  readonly tokenRefused: boolean;
}

export function App({ tokenRefused }: AppProps) {
  const caller = useCaller();
  const [refused, setRefused] = useState(tokenRefused);
  if (refused || isLoggedOut(caller.error))
    return <LoginPage refused={refused} onEntered={() => setRefused(false)} />;
  // Ask for nothing else, and for no events, before the server has let us in.
  if (caller.isPending) return null;
  return (
    <LiveConnection>
      <Pages />
    </LiveConnection>
  );
}

function isLoggedOut(error: Error | null): boolean {
  return error instanceof DeniedError && ["no-token", "token-expired"].includes(error.code);
}

function Pages() {
  const inbox = useInbox();
  const help = useRef<HTMLDialogElement>(null);
  const showHelp = useCallback(() => help.current?.showModal(), []);
  useKeys(showHelp);
  const [path] = useLocation();
  return (
    <>
      <Header waiting={inbox.data?.length ?? 0} showHelp={showHelp} />
      <main className="mx-auto w-full max-w-6xl px-4 py-5 sm:px-6">
        <ErrorBoundary address={path}>
          <Suspense fallback={<LoadingNote />}>
            <Switch>
              <Route path="/">
                <InboxPage item={null} />
              </Route>
              <Route path="/inbox/:item">{({ item }) => <InboxPage item={item} />}</Route>
              <Route path="/runs" component={RunsPage} />
              <Route path="/start" component={StartPage} />
              <Route path="/runs/:run">{({ run }) => <RunPage key={run} run={run} />}</Route>
              <Route path="/sessions" component={SessionsPage} />
              <Route path="/sessions/:key">
                {({ key }) => <SessionPage key={key} sessionKey={key} />}
              </Route>
              <Route component={NotFoundPage} />
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </main>
      <Help dialog={help} />
    </>
  );
}
