/** The body of a request: read up to a limit, and as JSON. */

import { UsageError } from "@reprise/core/errors/errors";
import type { Caller } from "./gatekeeper.ts";
import { HttpError, tooLarge } from "./http-error.ts";

/** A prompt may have 8 MiB, and up to twice as much when it is written as JSON. */
const maxBody = 16 * 1024 * 1024;
/** A viewer sends a workflow at most. */
const maxViewerBody = 3 * 1024 * 1024;
/** Bundles are held in memory. */
export const maxBundle = 64 * 1024 * 1024;
/** Deeper than any valid input; JSON.stringify cannot handle unlimited nesting. */
const maxDepth = 200;

/** Maximum size of a body from this client, in bytes. */
export function bodyLimit({ role }: Pick<Caller, "role">): number {
  return role === "viewer" ? maxViewerBody : maxBody;
}

export async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.byteLength;
    if (size > limit) throw tooLarge(limit);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** An empty body is an empty object. */
export function readJson(body: Uint8Array, type: string | null): Record<string, unknown> {
  if (body.byteLength === 0) return {};
  // A foreign page can send a form or plain text without a preflight, but not JSON.
  if (!/^application\/json\s*(;|$)/i.test(type ?? ""))
    throw new HttpError(
      415,
      "not-json",
      "The content type of the body is not application/json.",
      "Send JSON, with the content type application/json.",
    );
  const value = parseJson(body);
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw badJson("The body is not a JSON object.");
}

function parseJson(body: Uint8Array): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw badJson("The body is not JSON in UTF-8.");
  }
  for (let level = [value], depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw badJson(`The body is nested deeper than ${maxDepth} levels.`);
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null ? Object.values(each) : [],
    );
  }
  return value;
}

function badJson(message: string): UsageError {
  return new UsageError("bad-json", message, "Send one JSON object; nothing was changed.");
}
