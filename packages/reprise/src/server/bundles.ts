/** Exports and imports bundles over HTTP. */

import { parse } from "@reprise/core/api/parse";
import { exportSchema, importSchema } from "@reprise/core/api/portable-schemas";
import { z } from "zod";
import { answer } from "./answer.ts";
import { maxBundle, readBody } from "./body.ts";
import { requireRole } from "./gatekeeper.ts";
import { HttpError } from "./http-error.ts";
import { checkPath, signedBy, singleValues } from "./input.ts";
import type { Parts, ServerContext } from "./parts.ts";
import { answerPost, shortTask } from "./repeatable.ts";

export const exportPath = "/v1/sessions/{key}/bundle";
export const importPath = "/v1/bundles";

export const exportQuery = exportSchema().extend({
  transcriptOnly: z.stringbool().default(false),
});
export const importQuery = importSchema().omit({ bundle: true });

export async function answerExport(parts: Parts, c: ServerContext): Promise<Response> {
  c.set("route", "sessions.export");
  requireRole(c.get("caller"), "operator");
  const path = c.req.param();
  checkPath(path);
  const query = singleValues(new URL(c.req.url).searchParams);
  const wanted = parse(exportQuery, signedBy(c.get("caller"), { ...query, ...path }));
  const bytes = await parts.work.do(() => parts.reprise.sessions.export(wanted));
  return new Response(Uint8Array.from(bytes), {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="${wanted.key.replaceAll(":", "_")}.reprise"`,
    },
  });
}

export async function answerImport(parts: Parts, c: ServerContext): Promise<Response> {
  c.set("route", "sessions.import");
  requireRole(c.get("caller"), "operator");
  const wanted = parse(importQuery, singleValues(new URL(c.req.url).searchParams));
  if (!/^application\/octet-stream\b/i.test(c.req.header("content-type") ?? ""))
    throw new HttpError(
      415,
      "not-a-bundle",
      "The content type of the body is not that of a bundle.",
      "Send its bytes with the content type application/octet-stream.",
    );
  const bundle = await readBody(c.req.raw, maxBundle);
  const begin = () =>
    shortTask(parts, async () => {
      const created = await parts.reprise.sessions.import({ ...wanted, bundle });
      return answer(200, created, { session: created.key });
    });
  return answerPost(parts, c, {
    body: bundle,
    subject: null,
    wait: null,
    placeOf: (key) => `/v1/sessions/${key}`,
    begin,
    again: async () => begin(),
  });
}
