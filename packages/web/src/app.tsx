/** The pages and their addresses. */

import { DeniedError } from "@reprise/core/errors/errors";
import { useCallback, useRef, useState } from "react";
import { Route, Switch } from "wouter";
import { Header } from "./header.tsx";
import { useInbox } from "./hooks/use-inbox.ts";
import { Help } from "./keys/help.tsx";
import { useKeys } from "./keys/use-keys.ts";
import { LiveConnection } from "./live/live-connection.tsx";
import { InboxPage } from "./pages/inbox/inbox-page.tsx";
import { LoginPage } from "./pages/login.tsx";
import { NotFoundPage } from "./pages/not-found.tsx";
import { RunPage } from "./pages/run/run-page.tsx";
import { RunsPage } from "./pages/runs/runs-page.tsx";
import { StartPage } from "./pages/runs/start-page.tsx";
import { SessionPage } from "./pages/session/session-page.tsx";
import { SessionsPage } from "./pages/sessions/sessions-page.tsx";

interface AppProps {
  /** The address had a token that the server does not know. */
  readonly tokenRefused: boolean;
}

export function App({ tokenRefused }: AppProps) {
  const inbox = useInbox();
  const [refused, setRefused] = useState(tokenRefused);
  if (refused || isLoggedOut(inbox.error))
    return <LoginPage refused={refused} onEntered={() => setRefused(false)} />;
  // Nothing else is asked, and no event, before it is known that we are let in.
  if (inbox.isPending) return null;
  return (
    <LiveConnection>
      <Pages waiting={inbox.data?.length ?? 0} />
    </LiveConnection>
  );
}

function isLoggedOut(error: Error | null): boolean {
  return error instanceof DeniedError && error.code === "no-token";
}

function Pages({ waiting }: { readonly waiting: number }) {
  const help = useRef<HTMLDialogElement>(null);
  const showHelp = useCallback(() => help.current?.showModal(), []);
  useKeys(showHelp);
  return (
    <>
      <Header waiting={waiting} showHelp={showHelp} />
      <main className="mx-auto w-full max-w-6xl px-4 py-5 sm:px-6">
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
      </main>
      <Help dialog={help} />
    </>
  );
}
