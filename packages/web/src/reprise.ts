/** The server that this page came from, through our own client. The browser's cookie says who asks. */

import { repriseOver } from "@reprise/client/connect";
import { Connection } from "@reprise/client/connection";
import type { Role } from "@reprise/core/api/role";

/** A server that is being restarted is back within a few seconds. */
const patience = 5_000;

export const connection = new Connection(globalThis.location?.origin ?? "", { patience });

export const { inbox, runs, sessions, turns, protect, doctor } = repriseOver(connection);

/** For long work: answer as soon as it is recorded. Events report the rest. */
export const recorded = { leave: AbortSignal.abort() };

/** Exchanges the token for the page's cookie. */
export async function login(token: string): Promise<void> {
  await connection.askOnce({
    method: "POST",
    path: "/v1/login",
    body: JSON.stringify({ token }),
    headers: { "content-type": "application/json" },
  });
}

export interface PageCaller {
  readonly name: string;
  readonly role: Role;
}

/** Whose cookie it is. */
export async function readCaller(): Promise<PageCaller> {
  return (await connection.ask({ method: "GET", path: "/v1/caller" })).json();
}
