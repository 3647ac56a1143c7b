/** Errors that only occur over HTTP, each with its status. */

import { RepriseError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";

export class HttpError extends RepriseError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    hint: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, message, hint);
    this.status = status;
    this.headers = headers;
  }
}

const challenge = { "www-authenticate": 'Bearer realm="reprise"' };

/** `shown`: whether the client sent a token or a cookie. */
export function notLetIn(shown: boolean): HttpError {
  return new HttpError(
    401,
    "no-token",
    shown ? "The token is not known, or was revoked." : "This needs a token.",
    "Send the one in the home's file `token` as `Authorization: Bearer …`.",
    challenge,
  );
}

/** For a client that sent a token, or the cookie of one, after the token expired. */
export function tokenExpired({ name, expiresAt }: { name: string; expiresAt: number }): HttpError {
  return new HttpError(
    401,
    "token-expired",
    `The token ${name} expired on ${new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ")} UTC; create a new one, or rotate it.`,
    `Use ${verb("tokens.rotate", { name })}.`,
    challenge,
  );
}

export function tooLarge(limit: number): HttpError {
  return new HttpError(
    413,
    "too-large",
    `The body has more than ${limit} bytes.`,
    "Send less at once; nothing was changed.",
  );
}

export function stopping(): HttpError {
  return new HttpError(
    503,
    "stopping",
    "The server is about to stop.",
    "Try again when it has been started again.",
  );
}
