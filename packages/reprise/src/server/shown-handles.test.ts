/** The id of a provider session is shown whole to operators only. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { TestApp } from "./test-app.ts";

let server: TestApp;
let id: string;

beforeEach(async () => {
  server = await TestApp.open();
  await server.createCoder();
  for (const prompt of ["echo one", "echo two"])
    await server.reprise.sessions.send({ key: "fix-42", agent: "coder", prompt });
  id = (await server.reprise.sessions.show("fix-42")).handle!;
});

afterEach(() => server.close());

async function shown(role: string): Promise<string[]> {
  const token = await server.tokenFor(role, role);
  const { recent } = await server.reprise.sessions.show("fix-42");
  const seq = await server.engine.store.lastEvent();
  const calls: readonly [string, readonly unknown[]][] = [
    ["sessions.list", []],
    ["sessions.show", ["fix-42"]],
    ["sessions.explain", [{ key: "fix-42" }]],
    ["sessions.verify", ["fix-42"]],
    ["turns.why", [recent[0]!.id]],
  ];
  const bodies: string[] = [];
  for (const [name, args] of calls) {
    const { status, body } = await server.call(name, args, { token });
    if (status !== 200) throw new Error(`${name} answers ${status}.`);
    bodies.push(JSON.stringify(body));
  }
  const response = await server.request("GET", "/v1/events", undefined, {
    token,
    query: { after: "0" },
  });
  let events = "";
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    events += part;
    if (events.includes(`id: ${seq}\n`)) break;
  }
  return [...bodies, events];
}

test("S13: a viewer sees a prefix of a provider session's id in answers and events", async () => {
  for (const text of await shown("viewer")) {
    expect(text).not.toContain(id);
    expect(text).toContain(`${id.slice(0, 8)}…`);
  }
});

test("S13: an operator sees all of it", async () => {
  for (const text of await shown("operator")) expect(text).toContain(id);
});
