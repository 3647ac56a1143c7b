import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { httpFetch } from "./http-fetch.ts";

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("S0k: a request and its answer arrive whole", async () => {
  const url = await served(async (request, response) => {
    const body = (await request.toArray()).join("");
    response.writeHead(201).end(JSON.stringify([request.method, request.headers.x, body]));
  });
  const options = { method: "POST", headers: { x: "y" } };
  for (const body of ["a body", new Blob(["a body"])]) {
    const answer = await httpFetch(`${url}/path`, { ...options, body });
    expect([answer.status, answer.ok]).toEqual([201, true]);
    expect(JSON.parse(await answer.text())).toEqual(["POST", "y", "a body"]);
  }
});

test("S0k: a stream is read while it is written, and ends when it is aborted", async () => {
  const url = await served((_, response) => void response.write("first"));
  const stop = new AbortController();
  const { body } = await httpFetch(url, { signal: stop.signal });
  const reader = body!.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("first");
  const next = reader.read();
  stop.abort();
  await expect(next).rejects.toThrow();
});

test("S0k: an error has the form of those of fetch", async () => {
  const url = await served((request) => void request.socket.destroy());
  await expect(httpFetch(url)).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
  await expect(httpFetch(url, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    cause: { name: "AbortError" },
  });
});
