/** A run that cannot be advanced, as a server and the command line show it. */

import { expect, test } from "vitest";
import { until } from "../until.ts";
import { leaveEndlessRun } from "./endless-run.ts";
import { ServedShell } from "./served-shell.ts";

test("W9: a server logs why a run cannot be advanced, asks once, and then leaves it alone", async () => {
  const shell = ServedShell.open();
  await leaveEndlessRun(shell.home, shell.folder);
  const server = await shell.up();
  let logged = "";
  server.child.stderr?.on("data", (data) => (logged += data));
  const client = await shell.client();
  await until(async () => (await client.runs.list())[0]?.status === "stuck");
  const reports = () => logged.split("\n").filter((line) => line.includes("could not be advanced"));
  await until(() => reports().length === 5);
  expect(reports()[0]).toContain("The alias *x");

  const [item] = await client.inbox.list();
  expect(item).toMatchObject({ kind: "stuck", run: "r1", choices: ["retry", "cancel"] });
  const events = [];
  for await (const event of client.runs.events("r1", { follow: false })) events.push(event.type);
  expect(events).toEqual(["run.started", "run.stuck"]);

  expect(await shell.run(["runs", "--status", "stuck"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("endless"),
  });
  const again = await shell.run(["answer", item!.id, "retry"]);
  expect(again.code).toBe(3);
  expect(again.stderr).toContain(" retry, or reprise answer ");
  const [next] = await client.inbox.list();
  const ended = await shell.run(["answer", next!.id, "cancel"]);
  expect(ended.code).toBe(1);
  expect(await client.runs.show("r1")).toMatchObject({ status: "cancelled" });
  expect(await client.inbox.list()).toEqual([]);
  expect(reports()).toHaveLength(10);
});
