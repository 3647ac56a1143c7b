/**
 * The connection to one server. A request that may be repeated is retried when the connection breaks or the
 * server is about to stop, until the caller's patience ends.
 */

import { RepriseError, RetryableError, UsageError } from "@reprise/core/errors/errors";
import { errorOf, notReprise } from "./problem.ts";

export interface ConnectOptions {
  /** Token of the server, sent as `Authorization: Bearer …`. A page that the server itself serves needs none. */
  readonly token?: string | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** How long to retry when the server does not answer, in milliseconds; 30,000 unless given. */
  readonly patience?: number | undefined;
}

export interface ServerRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string | Blob | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** A further status that counts as an answer. */
  readonly accepts?: number;
}

/** A response that was read completely. */
export interface ServerResponse {
  readonly status: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  json<Value>(): Value;
}

const firstPause = 50;
const longestPause = 1000;

export class Connection {
  readonly url: string;
  readonly #token: string | undefined;
  readonly #fetch: typeof fetch;
  readonly patience: number;
  readonly #closing = new AbortController();

  /** @throws UsageError `bad-url`; a page may also give a path of its own server. */
  constructor(url: string, { token, fetch = globalThis.fetch, patience = 30_000 }: ConnectOptions) {
    if (!/^(https?:\/\/|\/|$)/i.test(url) || !URL.canParse(url, "http://localhost"))
      throw new UsageError(
        "bad-url",
        `"${url.slice(0, 100)}" is not the address of a server.`,
        "Use an address such as http://127.0.0.1:7777.",
      );
    this.url = url.replace(/\/+$/, "");
    this.#token = token;
    // A browser's `fetch` refuses to be called as a method of another object.
    this.#fetch = (...request) => fetch(...request);
    this.patience = patience;
  }

  /** Aborts requests in flight. */
  close(): void {
    this.#closing.abort();
  }

  /** Retries until there is an answer. @throws the RepriseError that the server answered with. */
  async ask(asking: ServerRequest): Promise<ServerResponse> {
    return this.#persistently(asking.signal, () => this.askOnce(asking));
  }

  /** @throws Unreachable when there was no complete answer. */
  async askOnce(asking: ServerRequest): Promise<ServerResponse> {
    const response = await this.open(asking);
    try {
      const bytes = new Uint8Array(await response.arrayBuffer());
      return { status: response.status, bytes, json: () => readJson(bytes) };
    } catch (cause) {
      asking.signal?.throwIfAborted();
      throw this.#unreachable(cause);
    }
  }

  /** The response, whose body is still being received. */
  async open(asking: ServerRequest): Promise<Response> {
    const { method, path, query = {}, body, headers, signal, accepts } = asking;
    const search = new URLSearchParams(query).toString();
    const response = await this.#fetch(`${this.url}${path}${search && `?${search}`}`, {
      method,
      headers: {
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
        ...headers,
      },
      ...(body != null && { body }),
      signal: AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]),
    }).catch((cause) => {
      signal?.throwIfAborted();
      throw this.#unreachable(cause);
    });
    if (response.ok || response.status === accepts) return response;
    throw await errorOf(response).catch((cause) => this.#unreachable(cause));
  }

  async #persistently<T>(signal: AbortSignal | undefined, act: () => Promise<T>): Promise<T> {
    const next = pauses(this.patience);
    for (;;) {
      try {
        return await act();
      } catch (error) {
        const pause = isPassing(error) ? next.next() : { done: true as const };
        if (pause.done) throw error;
        await this.pause(pause.value, signal);
      }
    }
  }

  /** Waits a moment. @throws the reason of the signal when it aborts. */
  async pause(duration: number, signal?: AbortSignal): Promise<void> {
    const over = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]);
    over.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, duration);
    const wake = () => resolve();
    over.addEventListener("abort", wake);
    await promise;
    clearTimeout(timer);
    over.removeEventListener("abort", wake);
    over.throwIfAborted();
  }

  #unreachable(cause: unknown): RepriseError {
    if (this.#closing.signal.aborted)
      return new RepriseError(
        "closed",
        "The connection was closed during the call.",
        "Connect again; work that the server has accepted continues.",
        { cause },
      );
    return new Unreachable(
      "unreachable",
      `The server at ${this.url} cannot be reached: ${reasonOf(cause)}.`,
      "Check that it runs and that the address is right; work that it has accepted continues.",
      { cause },
    );
  }
}

function readJson(bytes: Uint8Array) {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw notReprise("answered with something that is not JSON");
  }
}

/** The header that makes a repeated request take effect once. */
export function idempotent(): Record<string, string> {
  // `randomUUID` is missing in a page that was not loaded over HTTPS.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return { "idempotency-key": Array.from(bytes, (byte) => byte.toString(16)).join("-") };
}

/** The growing pauses before each retry, until the patience ends. */
export function* pauses(patience: number): Generator<number, void> {
  const until = performance.now() + patience;
  for (let pause = firstPause; performance.now() + pause < until; ) {
    yield pause;
    pause = Math.min(2 * pause, longestPause);
  }
}

/** There was no complete answer: the request may or may not have arrived. */
class Unreachable extends RetryableError {}

/** The same request may succeed in a moment. */
export function isPassing(error: unknown): boolean {
  if (error instanceof Unreachable) return true;
  const codes = ["stopping", "too-many-requests"];
  return error instanceof RetryableError && codes.includes(error.code);
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string } };
  return cause?.code ?? message ?? String(error);
}
