/** The header of every page: navigation, the number of open items, and the connection. */

import { Link } from "wouter";
import { useConnection } from "./live/use-connection.ts";

interface HeaderProps {
  readonly waiting: number;
  readonly showHelp: () => void;
}

export function Header({ waiting, showHelp }: HeaderProps) {
  const connection = useConnection();
  return (
    <header className="border-b border-line bg-surface">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-5 gap-y-1 px-4 py-2 sm:px-6">
        <span className="hidden text-base font-semibold tracking-tight sm:inline">Reprise</span>
        <nav aria-label="Pages" className="flex items-center gap-1 text-sm">
          <Page href="/" also="/inbox">
            Inbox
            {waiting > 0 && (
              <span className="ml-1.5 rounded-full bg-care-soft px-1.5 text-xs font-semibold text-care">
                {waiting}
                <span className="sr-only"> waiting</span>
              </span>
            )}
          </Page>
          <Page href="/runs">Runs</Page>
          <Page href="/sessions">Sessions</Page>
        </nav>
        <p role="status" className="ml-auto flex items-center gap-1.5 text-xs text-muted">
          <span
            aria-hidden="true"
            className={`size-2 rounded-full ${connection === "open" ? "bg-good" : "pulses bg-care"}`}
          />
          {connection === "open" ? "live" : connection === "lost" ? "disconnected" : "connecting"}
        </p>
        <button
          type="button"
          onClick={showHelp}
          aria-label="Keyboard shortcuts"
          className="hidden size-7 rounded-md border border-line text-sm hover:bg-sunken sm:block"
        >
          ?
        </button>
      </div>
      {connection === "lost" && (
        <p className="border-t border-care bg-care-soft px-4 py-1.5 text-center text-sm text-care">
          The server does not respond. What you see may be out of date. This page reconnects
          automatically.
        </p>
      )}
    </header>
  );
}

interface PageProps {
  readonly href: string;
  /** Another address that belongs to it. */
  readonly also?: string;
  readonly children: React.ReactNode;
}

function Page({ href, also, children }: PageProps) {
  const path = window.location.pathname;
  const isHere = path === href || path.startsWith(`${also ?? href}/`);
  return (
    <Link
      href={href}
      aria-current={isHere ? "page" : undefined}
      className={`flex min-h-8 items-center rounded-md px-2.5 ${isHere ? "bg-sunken font-semibold" : "text-muted hover:text-text"}`}
    >
      {children}
    </Link>
  );
}
