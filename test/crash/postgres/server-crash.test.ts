/** PostgreSQL crashes and loses what was not durable, while the engine that wrote it lives. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeStoreRecord } from "@reprise/engine/home";
import { openEngine } from "@reprise/engine/open-reprise";
import { ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { expect, onTestFinished, test } from "vitest";
import { Cluster } from "../../postgres/cluster.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** An engine whose server crashes after the `times`th call of a verb, before its caller learns of the result. */
async function crashingAfter(verb: string, times = 1) {
  const cluster = await Cluster.start();
  onTestFinished(() => cluster.remove());
  const folder = temporaryFolder("server-crash");
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeStoreRecord(home, await cluster.createDatabase());
  let calls = 0;
  const { reprise } = await openEngine({
    home,
    cwd: folder,
    wrap: {
      store: (store) =>
        new Proxy(store, {
          get(target, name) {
            const method = Reflect.get(target, name);
            if (name !== verb) return method;
            return async (...input: unknown[]) => {
              calls += 1;
              if (calls !== times) return Reflect.apply(method, target, input);
              await cluster.holdBuffered();
              const result = await Reflect.apply(method, target, input);
              await cluster.kill();
              await cluster.start();
              return result;
            };
          },
        }),
    },
  });
  onTestFinished(() => reprise.close());
  const agentHome = join(folder, "agent");
  await reprise.agents.create({
    name: "coder",
    provider: "scripted",
    settings: { home: agentHome },
  });
  const asked = () =>
    readLedger(ledgerPath(agentHome)).filter(({ event }) => event === "model").length;
  return { reprise, asked, calls: () => calls };
}

test("a turn that was opened is run to its end", async () => {
  const { reprise, asked, calls } = await crashingAfter("beginTurn");
  const sent = await reprise.sessions.send({ key: "k", agent: "coder", prompt: "echo hello" });
  expect(sent).toMatchObject({ turn: { status: "done" }, output: "hello" });
  expect(asked()).toBe(1);
  expect(calls()).toBe(1);
});

test("a run continues, and calls none of its functions again", async () => {
  const { reprise, calls } = await crashingAfter("advanceRunBuffered", 3);
  const names = ["f0", "f1", "f2", "f3", "f4", "f5"];
  const steps = names.map((name, index) => [
    name,
    {
      function: "return { number: inputs.number + 1 };",
      returns: { number: "number" },
      inputs: { number: index === 0 ? "inputs.number" : `${names[index - 1]}.number` },
    },
  ]);
  const source = JSON.stringify({
    name: "chain",
    inputs: { number: "number" },
    outputs: { number: "f5.number" },
    steps: Object.fromEntries(steps),
  });
  const run = await reprise.runs.start({ source, inputs: { number: 0 } });
  expect(calls()).toBe(names.length);
  expect(run).toMatchObject({ status: "done", outputs: { number: 6 } });
});
