/** One session: its turns with why each was resumed or not, a form to send the next, and what is known about it. */

import type { SessionDetail } from "@reprise/core/api/reprise";
import { Link } from "wouter";
import { useSession } from "../../hooks/use-session.ts";
import { useTitle } from "../../hooks/use-title.ts";
import { Ago } from "../../parts/ago.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { LoadedPart } from "../../parts/loaded.tsx";
import { ExplainNow } from "./explain-now.tsx";
import { SendForm } from "./send-form.tsx";
import { SessionActions } from "./session-actions.tsx";
import { Timeline } from "./timeline.tsx";

export function SessionPage({ sessionKey }: { readonly sessionKey: string }) {
  useTitle(sessionKey);
  const query = useSession(sessionKey);
  return <LoadedPart query={query}>{(session) => <Session session={session} />}</LoadedPart>;
}

function Session({ session }: { readonly session: SessionDetail }) {
  // On a narrow screen a question comes before the form for the next turn.
  const waits = session.recent[0]?.status === "waiting";
  return (
    <div className="space-y-5">
      <header className="space-y-2">
        <p className="text-sm">
          <Link href="/sessions" className="text-accent underline">
            Sessions
          </Link>
        </p>
        <h1 className="font-mono text-lg font-semibold">{session.key}</h1>
        <SessionActions session={session} />
      </header>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
        <div className={`min-w-0 lg:order-none lg:col-start-2 ${waits ? "order-1" : ""}`}>
          <SendForm sessionKey={session.key} archived={session.archivedAt !== null} />
        </div>
        <div className="min-w-0 lg:col-start-1 lg:row-span-2 lg:row-start-1">
          <Timeline sessionKey={session.key} finished={session.turns} />
        </div>
        <div className={`min-w-0 space-y-5 lg:order-none lg:col-start-2 ${waits ? "order-2" : ""}`}>
          <Card title="Session">
            <Facts facts={factsOf(session)} />
          </Card>
          <ExplainNow sessionKey={session.key} />
        </div>
      </div>
    </div>
  );
}

function factsOf(session: SessionDetail): Fact[] {
  const { key, agent, provider, epoch, handle, held, archivedAt, pins, createdAt } = session;
  const [, run] = /^wf:([^:]+):/.exec(key) ?? [];
  return [
    ["Agent", `${agent} (${provider})`],
    ...(run === undefined
      ? []
      : [
          [
            "Run",
            <Link key="run" href={`/runs/${run}`} className="text-accent underline">
              {run}
            </Link>,
          ] as const,
        ]),
    ["Epoch", epoch],
    [
      "Provider session",
      handle === null ? (
        "none"
      ) : (
        <code key="handle" className="text-xs">
          {handle}
        </code>
      ),
    ],
    ...pins.map(
      (pin): Fact => [
        pins.length > 1 ? `Folder of ${pin.agent}` : "Folder",
        <code key={pin.agent} className="text-xs">
          {pin.folder}
        </code>,
      ],
    ),
    ...(held.length > 0 ? [["Held", held.map(({ by }) => by).join(", ")] as const] : []),
    ...(archivedAt !== null
      ? [["Archived", <Badge key="archived" word="archived" />] as const]
      : []),
    ["Created", <Ago key="created" at={createdAt} />],
  ];
}
