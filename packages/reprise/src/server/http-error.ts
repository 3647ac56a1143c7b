/** Errors that only a caller over HTTP can meet, each with its status. */

import { RepriseError } from "@reprise/core/errors/errors";

export class HttpError extends RepriseError {
  readonly status: number;

  constructor(status: number, code: string, message: string, hint: string) {
    super(code, message, hint);
    this.status = status;
  }
}

export function notLetIn(): HttpError {
  return new HttpError(
    401,
    "no-token",
    "This needs a token, and there is none, or one that is not known or was revoked.",
    "Send the token in the home's file `token` as `Authorization: Bearer …`.",
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
