/** A model service on loopback: the log of every request, the script of answers, and the connection. */

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type { Answer, InputUsage, Model, ModelRequest, SeenMessage } from "./model.ts";
import { PromptCache } from "./prompt-cache.ts";
import { remembering } from "./remembering.ts";

/** How one service speaks: reads its request bodies and writes its answers. */
export interface Protocol {
  readonly path: RegExp;
  read(body: unknown, path: string): Reading;
  /** The error as this service words it. */
  refuse(answer: Extract<Answer, { refuse: unknown }>): Reply;
  /** The events of a streamed answer. */
  stream(answer: Streamed, reading: Reading, usage: InputUsage): Iterable<StreamPart>;
  /** The body of an answer that is not streamed, for services that have such answers. */
  whole?(answer: Streamed, reading: Reading, usage: InputUsage): unknown;
}

export interface Reading {
  /** The client asked for a response that is not streamed. */
  readonly plain?: boolean;
  readonly messages: readonly SeenMessage[];
  /** Names of the tools that the agent offers. */
  readonly tools: readonly string[];
  /** Requests with the same key share a cache. */
  readonly cacheKey: string;
  /** The request in the order in which a prompt cache would read it. */
  readonly parts: readonly string[];
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Streamed = Exclude<Answer, { refuse: unknown } | { status: number }>;

/**
 * Text to send; `pause`: a held answer waits here; `breathe`: what was sent may arrive before the rest follows;
 * `drop`: the connection is cut here.
 */
export type StreamPart = { readonly send: string } | "pause" | "breathe" | "drop";

export interface ModelServerOptions {
  /** An unused one by default. */
  readonly port?: number;
  readonly model?: Model;
  /** Headers of every error, such as `retry-after-ms` for an agent that would wait for a minute. */
  readonly errorHeaders?: Readonly<Record<string, string>>;
  /** Called with every request as it arrives. */
  readonly onRequest?: (request: ModelRequest) => void;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Every request, in order. */
  readonly requests: readonly ModelRequest[];
  /** The next request that no earlier call has returned. */
  nextRequest(): Promise<ModelRequest>;
  /** Answers for the next requests, in order, or a model for all of them; then the remembering one. */
  answerWith(...answers: Answer[] | [Model]): void;
  close(): Promise<void>;
}

export async function serveModel(
  protocol: Protocol,
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const waiters: ((request: ModelRequest) => void)[] = [];
  const cache = new PromptCache();
  let model: Model = options.model ?? (() => undefined);
  let script: Answer[] = [];
  let awaited = 0;

  const server = createServer(async (incoming, response) => {
    const path = incoming.url ?? "";
    if (incoming.method !== "POST" || !protocol.path.test(path)) {
      reply(response, { status: 404, body: { error: { message: `No such page: ${path}` } } });
      return;
    }
    const body = await json(incoming);
    const reading = protocol.read(body, path);
    const usage = cache.count(reading.cacheKey, reading.parts);
    const held = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<"answered" | "hung-up">();
    response.on("close", () => {
      held.resolve();
      ended.resolve(response.writableFinished ? "answered" : "hung-up");
    });
    const request: ModelRequest = {
      number: requests.length + 1,
      path,
      headers: incoming.headers,
      body,
      messages: reading.messages,
      usage,
      release: held.resolve,
      ended: ended.promise,
    };
    requests.push(request);
    options.onRequest?.(request);
    waiters.shift()?.(request);

    const answer = script.shift() ?? model(request) ?? remembering(request);
    if ("refuse" in answer || "status" in answer) {
      if (answer.held) await held.promise;
      const { headers, ...error }: Reply = "refuse" in answer ? protocol.refuse(answer) : answer;
      reply(response, { ...error, headers: { ...options.errorHeaders, ...headers } });
      return;
    }
    if (reading.plain && protocol.whole) {
      if (answer.held) await held.promise;
      if ("dropped" in answer) response.destroy();
      else reply(response, { status: 200, body: protocol.whole(answer, reading, usage) });
      return;
    }
    await send(
      response,
      protocol.stream(answer, reading, usage),
      answer.held ? held.promise : null,
    );
  });

  server.listen(options.port ?? 0, "127.0.0.1");
  await new Promise((listening, failed) =>
    server.once("listening", listening).once("error", failed),
  );

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async nextRequest() {
      awaited += 1;
      return requests[awaited - 1] ?? new Promise((arrive) => waiters.push(arrive));
    },
    answerWith(...answers) {
      const [first] = answers;
      if (typeof first === "function") model = first;
      else script = [...script, ...(answers as Answer[])];
    },
    async close() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function send(
  response: ServerResponse,
  parts: Iterable<StreamPart>,
  held: Promise<void> | null,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const part of parts) {
    if (response.destroyed) return;
    if (part === "drop") {
      response.destroy();
      return;
    }
    if (part === "pause") await held;
    else if (part === "breathe") await setTimeout(20);
    else response.write(part.send);
  }
  response.end();
}

function reply(response: ServerResponse, { status, body, headers }: Reply): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
