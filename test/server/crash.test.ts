/** A server that ends while agents work: they continue, and the next server takes each answer once. */

import { once } from "node:events";
import type { EventView, Reprise, TurnResult } from "@reprise/core/api/reprise";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { ServedShell } from "./served-shell.ts";

const names = Array.from({ length: 20 }, (_, index) => `job ${index + 1}`);
const keyOf = (name: string) => name.replace(" ", "-");
const send = (client: Reprise, name: string) =>
  client.sessions.send({ key: keyOf(name), agent: "coder", prompt: `${name}.` });

/** The log as a client sees it that does not notice the restart. */
function watch(client: Reprise): { readonly events: EventView[]; stop(): Promise<void> } {
  const events: EventView[] = [];
  const over = new AbortController();
  const reading = (async () => {
    for await (const event of client.events({ after: 0, signal: over.signal })) events.push(event);
  })();
  return {
    events,
    stop() {
      over.abort();
      return reading;
    },
  };
}

async function expectAnsweredOnce(
  shell: ServedShell,
  client: Reprise,
  results: readonly TurnResult[],
): Promise<void> {
  expect(results.map(({ turn, session }) => [session.key, turn.seq, turn.status])).toEqual(
    names.map((name) => [keyOf(name), 1, "done"]),
  );
  for (const { turn, attempts, output } of results) {
    expect(attempts).toHaveLength(1);
    expect(output).not.toBeNull();
    expect(await client.turns.why(turn.id)).toMatchObject({ output, turn: { status: "done" } });
  }
  const started = shell.ledger("start").map(({ turn }) => turn);
  expect([...started].sort()).toEqual(results.map(({ turn }) => turn.id).sort());
}

function expectWhole(events: readonly EventView[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const finished = events.filter(({ type }) => type === "turn.finished");
  expect(finished).toHaveLength(names.length);
}

test("kill -9 with 20 turns running: the agents continue, the next start adopts them, each answer is recorded once", async () => {
  const shell = ServedShell.open();
  shell.hold();
  await shell.createAgent();
  const first = await shell.up();
  const client = await shell.client();
  const log = watch(client);
  const sent = names.map((name) => send(client, name));
  for (const name of names) await shell.isAtWork(name);

  first.child.kill("SIGKILL");
  await once(first.child, "close");
  const [early, late] = [names.slice(0, 10), names.slice(10)];
  for (const name of early) shell.release(name);
  await until(() => shell.ledger("exit").length === early.length);

  await shell.up("--port", new URL(first.url).port);
  for (const name of late) shell.release(name);
  const results = await Promise.all(sent);
  await expectAnsweredOnce(shell, client, results);
  await until(
    () => log.events.filter(({ type }) => type === "turn.finished").length === names.length,
  );
  await log.stop();
  expectWhole(log.events);
});

test("down leaves running agents and queued turns alone; the next start continues both", async () => {
  const shell = ServedShell.open();
  shell.hold();
  await shell.createAgent();
  const first = await shell.up();
  const client = await shell.client();
  const one = client.sessions.send({ key: "k", agent: "coder", prompt: "job 1." });
  await shell.isAtWork("job 1");
  const opened = Promise.withResolvers<string>();
  const two = client.sessions.send(
    { key: "k", agent: "coder", prompt: "job 2." },
    { onOpened: opened.resolve },
  );
  await opened.promise;
  expect(await shell.run(["down"])).toMatchObject({ code: 0 });
  expect(await first.ended).toMatchObject({ code: 0 });
  const status = JSON.parse((await shell.run(["status", "--json"])).stdout);
  expect(status.turns.map(({ status }: { status: string }) => status)).toEqual([
    "running",
    "queued",
  ]);

  await shell.up("--port", new URL(first.url).port);
  shell.release("job 1");
  shell.release("job 2");
  const [done, next] = await Promise.all([one, two]);
  expect(done.turn).toMatchObject({ seq: 1, status: "done" });
  expect(next.turn).toMatchObject({ seq: 2, status: "done" });
  expect(next.decision?.outcome).toBe("resume");
  expect(shell.ledger("start")).toHaveLength(2);
});
