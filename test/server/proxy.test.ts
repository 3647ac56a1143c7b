/** A server behind a proxy that ends TLS, as a browser meets it. */

import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { tlsProxy } from "./proxy/tls-proxy.ts";
import { ServedShell } from "./served-shell.ts";

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** As a browser would, which knows only the proxy. */
async function browse(port: number, { path, method = "GET", headers = {}, body }: Asked) {
  const asking = request({
    ...{ host: "127.0.0.1", port, path, method, rejectUnauthorized: false },
    headers: {
      host: `reprise.test:${port}`,
      ...(body && { "content-type": "application/json", origin: `https://reprise.test:${port}` }),
      ...headers,
    },
  });
  asking.end(body && JSON.stringify(body));
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  const reply: { status: number | undefined; headers: IncomingHttpHeaders; body: string } = {
    status: answer.statusCode,
    headers: answer.headers,
    body: await text(answer),
  };
  return reply;
}

for (const [proxy, passesHost] of [
  ["that passes the name on (Caddy)", true],
  ["that asks by its own name (nginx without proxy_set_header)", false],
] as const)
  test(`V8: behind a proxy ${proxy} a page logs in and posts, by a Secure cookie`, async () => {
    const shell = ServedShell.open();
    await shell.createAgent();
    let target = "";
    const port = await tlsProxy(() => target, { passesHost });
    const publicUrl = `https://reprise.test:${port}`;
    target = (await shell.up("--public-url", publicUrl)).url;

    const link = await browse(port, { path: `/?token=${shell.token()}` });
    expect([link.status, link.headers.location]).toEqual([303, "/"]);
    const [set = ""] = link.headers["set-cookie"] ?? [];
    expect(set).toMatch(/; Secure$/);
    const cookie = set.split(";")[0] ?? "";
    const body = { name: "class-by-page", provider: "scripted" };
    const post = await browse(port, {
      ...{ path: "/v1/classes", method: "POST", headers: { cookie }, body },
    });
    expect([post.status, post.body]).toEqual([200, expect.stringContaining("class-by-page")]);

    for (const origin of ["https://evil.test", `http://reprise.test:${port}`, "null"]) {
      const headers = { cookie, origin };
      const foreign = await browse(port, { path: "/v1/classes", method: "POST", headers, body });
      expect([origin, foreign.status]).toEqual([origin, 403]);
    }
    const headers = { cookie, host: "evil.test" };
    const renamed = await browse(port, { path: "/v1/caller", headers });
    expect(renamed.status).toBe(passesHost ? 403 : 200);
  });

test("V8: without the setting a proxy's page may not post, and the answer says what to do", async () => {
  const shell = ServedShell.open();
  const { url } = await shell.up();
  const port = await tlsProxy(() => url, { passesHost: false });
  const body = { token: shell.token() };
  const reply = await browse(port, { path: "/v1/login", method: "POST", body });
  expect([reply.status, reply.body]).toEqual([403, expect.stringContaining("--public-url")]);
  const bad = await shell.run(["up", "--public-url", "reprise.test/path"]);
  expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('"reprise.test/path"') });
});
