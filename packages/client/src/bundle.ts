/** Exports and imports sessions as bundles of bytes. */

import type { CreatedSession, ExportSession, ImportSession } from "@reprise/core/api/reprise";
import { addressOf } from "./address.ts";
import { type Connection, idempotent } from "./connection.ts";

export async function exportBundle(
  connection: Connection,
  session: ExportSession,
): Promise<Uint8Array> {
  const route = { method: "GET", path: "/v1/sessions/{key}/bundle" } as const;
  const { path, query } = addressOf(route, session);
  return (await connection.ask({ method: "GET", path, query })).bytes;
}

export async function importBundle(
  connection: Connection,
  { bundle, ...where }: ImportSession,
): Promise<CreatedSession> {
  const { path, query } = addressOf({ method: "GET", path: "/v1/bundles" }, where);
  const answer = await connection.ask({
    method: "POST",
    path,
    query,
    body: new Blob([Uint8Array.from(bundle)]),
    headers: { "content-type": "application/octet-stream", ...idempotent() },
  });
  return answer.json();
}
