/** Several servers of one home on PostgreSQL: they share its work, and one that is killed is replaced by another. */

import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@reprise/client/connect";
import type { Reprise } from "@reprise/core/api/reprise";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { Cluster } from "../postgres/cluster.ts";
import { until } from "../until.ts";
import { ServedShell } from "./served-shell.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
});
afterAll(() => cluster.remove());

const keys = Array.from({ length: 8 }, (_, index) => `key-${index + 1}`);
const perKey = 5;

/** Resolves when the server has acknowledged it. */
function queue({ sessions }: Reprise, key: string, prompt: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const send = { key, agent: "coder", prompt, busy: "queue" } as const;
  // Its server may be killed; the test looks at the turn itself.
  sessions.send(send, { onOpened: resolve }).catch(reject);
  return promise;
}

function didNotStart({ stderr }: { readonly stderr: string }): never {
  throw new Error(`The second server did not start: ${stderr}`);
}

test("two servers share 40 queued turns; one is killed, each turn runs once, and none is lost", async () => {
  const shell = ServedShell.open();
  // The second turns of half of the keys are at work when the first server is killed.
  const held = keys.slice(0, keys.length / 2).map((key) => `job 2 of ${key}.`);
  shell.rules(
    ...held.map((prompt) => ({
      when: { prompt },
      do: ["model", { touch: `${prompt}reached` }, { "wait-for": "go" }],
    })),
  );
  const first = await shell.up("--store", await cluster.createDatabase());
  await shell.createAgent();
  expect(await shell.run(["up"])).toMatchObject({ code: 1, stdout: "" });
  const port = new URL(first.url).port;
  const second = shell.start(["up", "--port", String(Number(port) + 1)]);
  const own = join(shell.home, `server-${Number(port) + 1}.json`);
  await Promise.race([until(() => existsSync(own)), second.ended.then(didNotStart)]);
  expect(shell.record()!.process.pid).toBe(first.child.pid);

  const clients = await Promise.all(
    [first.url, `http://127.0.0.1:${Number(port) + 1}`].map((url) =>
      connect(url, { token: shell.token() }),
    ),
  );
  onTestFinished(async () => {
    for (const client of clients) await client.close();
  });
  const sent: Promise<string>[] = [];
  for (let round = 1; round <= perKey; round += 1)
    for (const [index, key] of keys.entries())
      sent.push(queue(clients[(index + round) % 2]!, key, `job ${round} of ${key}.`));
  const acknowledged = await Promise.all(sent);
  await until(() => held.every((prompt) => existsSync(join(shell.root, `${prompt}reached`))));
  first.child.kill("SIGKILL");
  await once(first.child, "close");

  writeFileSync(join(shell.root, "go"), "");

  // Commands find the second server at the place of the first.
  await until(() => shell.record()?.process.pid === second.child.pid);
  await until(() => !existsSync(own));
  const [, survivor] = clients;
  await until(async () => {
    const open = await Promise.all(acknowledged.map((turn) => survivor!.turns.why(turn)));
    return open.every(({ turn }) => turn.status === "done");
  });
  const started = shell.ledger("start").map(({ turn }) => String(turn));
  expect(started.toSorted()).toEqual(acknowledged.toSorted());
  for (const key of keys) {
    const turns = await survivor!.turns.list({ key });
    expect(turns.map(({ seq }) => seq).toSorted()).toEqual([1, 2, 3, 4, 5]);
  }
});
