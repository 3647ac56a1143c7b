/** JSON-RPC 2.0 over two streams, one message on each line: the requests of both sides, and notifications. */

import type { Readable, Writable } from "node:stream";
import { jsonLine } from "../files.ts";

/** The agent answered a request with an error. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: { code?: unknown; message?: unknown; data?: unknown }) {
    super(typeof message === "string" ? message : "no message");
    this.code = typeof code === "number" ? code : 0;
    this.data = data;
  }
}

export const methodNotFound = -32601;

/** What the agent sends by itself. */
export interface Incoming {
  notified(method: string, params: unknown): void;
  /** The result; undefined for a method that we do not have. */
  requested(method: string, params: unknown): unknown;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class RpcConnection {
  readonly #output: Writable;
  readonly #incoming: Incoming;
  readonly #waiting = new Map<unknown, Waiting>();
  #requests = 0;
  #closed: Error | null = null;

  constructor(input: Readable, output: Writable, incoming: Incoming) {
    this.#output = output;
    this.#incoming = incoming;
    // The agent may have closed its input; its end is reported by `close`.
    output.on("error", () => {});
    onLines(input, (line) => this.#receive(line));
  }

  /** @throws RpcError, and whatever `close` was given. */
  request<Result>(method: string, params: object): Promise<Result> {
    if (this.#closed) return Promise.reject(this.#closed);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#requests += 1;
    const id = this.#requests;
    this.#waiting.set(id, { resolve, reject });
    this.#send({ id, method, params });
    return promise as Promise<Result>;
  }

  notify(method: string, params: object): void {
    this.#send({ method, params });
  }

  /** Nothing more comes; open requests fail with this error. */
  close(error: Error): void {
    this.#closed ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #send(message: object): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Agents also print other lines on standard output; those are ignored. */
  #receive(line: string): void {
    const { id, method, params, result, error } = jsonLine(line) ?? {};
    if (typeof method === "string") {
      if (id === undefined) this.#incoming.notified(method, params);
      else this.#answer(id, method, params);
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new RpcError(error as object));
    else waiting?.resolve(result ?? {});
  }

  #answer(id: unknown, method: string, params: unknown): void {
    const result = this.#incoming.requested(method, params);
    const error = { code: methodNotFound, message: `Method not found: ${method}` };
    this.#send({ id, ...(result === undefined ? { error } : { result }) });
  }
}

/** A longer line is left out. */
const maxLine = 64 * 1024 * 1024;

/** Calls `onLine` with each line, however the bytes are cut into chunks, in linear time. */
export function onLines(input: Readable, onLine: (line: string) => void): void {
  let parts: string[] = [];
  let length = 0;
  input.setEncoding("utf8").on("data", (chunk: string) => {
    const [first = "", ...rest] = chunk.split("\n");
    const hold = (part: string) => {
      length += part.length;
      if (length <= maxLine) parts.push(part);
    };
    hold(first);
    for (const part of rest) {
      const line = length <= maxLine ? parts.join("") : "";
      parts = [];
      length = 0;
      onLine(line);
      hold(part);
    }
  });
}
