/** Asks a Chat Completions service once: the completion, or why there is none. */

import { jsonLine } from "../files.ts";
import type { Failure } from "../provider.ts";
import {
  AnswerCut,
  type ChatCompletion,
  ErrorInAnswer,
  type Fields,
  isFields,
  NotACompletion,
  readCompletion,
} from "./completion.ts";
import { failureOf, notAnAnswer, resetTime } from "./failure.ts";
import { patientFetch } from "./patient-fetch.ts";
import type { ChatRequest } from "./request.ts";

export interface ChatService {
  /** Without `/chat/completions`. */
  readonly address: string;
  readonly key: string | undefined;
  /** Sent with every request, so that a router can keep a conversation at one machine, where its cache is. */
  readonly session: string;
}

/** The service did not answer. */
export class Unanswered extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** An error page may be long; an error is not. */
const maxMessage = 2000;

/** @throws Unanswered */
export async function ask(
  { address, key, session }: ChatService,
  { body, earlier }: ChatRequest,
  onText: (text: string) => void,
): Promise<ChatCompletion> {
  const response = await patientFetch(`${address}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      "x-session-id": session,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
    // A redirected POST would lose its body or take the key elsewhere.
    redirect: "manual",
  }).catch((error: unknown) => {
    throw lostConnection(error);
  });
  if (!response.ok) throw new Unanswered(await refusalIn(response, earlier));
  return readCompletion(response, onText).catch((error: unknown) => {
    if (error instanceof NotACompletion) throw new Unanswered(notAnAnswer(error.message));
    if (error instanceof ErrorInAnswer)
      throw new Unanswered(failureIn(null, error.body, response.headers, earlier));
    throw error instanceof AnswerCut
      ? new Unanswered({ kind: "transient", message: error.message })
      : lostConnection(error);
  });
}

async function refusalIn(response: Response, earlier: number): Promise<Failure> {
  const { status, headers } = response;
  const location = headers.get("location");
  if (status < 400 && location !== null)
    return notAnAnswer(`the service redirects to ${URL.parse(location, response.url)?.origin}`);
  const text = await response.text().catch(() => "");
  const body = jsonLine(text);
  if (body === null && /html/.test(headers.get("content-type") ?? "") && status < 500)
    return notAnAnswer(`a web page came back instead of an answer (${status})`);
  const error = body && isFields(body.error) ? body.error : (body ?? {});
  const message = word(body?.error) ?? word(error.message) ?? word(body?.detail) ?? text;
  return failureIn(status, { ...error, message: message.slice(0, maxMessage) }, headers, earlier);
}

function failureIn(
  status: number | null,
  error: Fields,
  headers: Headers,
  earlier: number,
): Failure {
  const now = Date.now();
  // Some services give the status as the code of an error in a stream.
  const number = typeof error.code === "number" ? error.code : null;
  return failureOf(
    {
      status: status ?? number,
      code: word(error.code),
      type: word(error.type),
      param: word(error.param),
      message: word(error.message) ?? "the service gave no reason",
      resetAt: resetTime(headers, error, now),
    },
    earlier,
    now,
  );
}

/** `fetch failed` says nothing; its cause does. */
function lostConnection(error: unknown): Unanswered {
  const { message, cause } = error as Error;
  const { code, message: why } = (cause ?? {}) as { code?: string; message?: string };
  const reason = why ? `${why}${code && !why.includes(code) ? ` (${code})` : ""}` : message;
  return new Unanswered({ kind: "transient", message: `the connection failed: ${reason}` });
}

function word(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
