/** A small proxy that ends TLS, as nginx or Caddy would: it passes the requested host name on, or sends its own. */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request as ask } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

const file = (name: string) => readFileSync(new URL(name, import.meta.url));

export async function tlsProxy(
  target: () => string,
  { passesHost }: { readonly passesHost: boolean },
): Promise<number> {
  const server = createServer(
    { key: file("./test-key.pem"), cert: file("./test-certificate.pem") },
    (incoming, outgoing) => {
      const { hostname, port, host } = new URL(target());
      const headers = { ...incoming.headers, host: passesHost ? incoming.headers.host : host };
      const options = { hostname, port, method: incoming.method, path: incoming.url, headers };
      const asked = ask(options, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      asked.on("error", () => outgoing.destroy());
      incoming.pipe(asked);
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
