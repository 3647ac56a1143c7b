/** A send whose server is killed before the agent is started: the client's repeated call sends it, once. */

import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { ServedShell } from "./served-shell.ts";

const program = fileURLToPath(new URL("./dying-server.ts", import.meta.url));

test("S20: a send that was killed before its launch is done once by the next server", async () => {
  const shell = ServedShell.open();
  await shell.createAgent();
  const dying = shell.startNode([program, shell.home, "0"]);
  await until(() => shell.record()?.process.pid === dying.child.pid);
  const { port } = new URL(shell.record()!.url);
  const client = await shell.client();
  const opened: string[] = [];
  const sent = client.sessions.send(
    { key: "k", agent: "coder", prompt: "remember APPLE-739" },
    { onOpened: (turn) => opened.push(turn) },
  );
  expect((await dying.ended).signal).toBe("SIGKILL");
  await shell.up("--port", port);

  const { turn, output } = await sent;
  expect(turn).toMatchObject({ status: "done", seq: 1 });
  expect(output).not.toBeNull();
  expect(opened).toEqual([turn.id]);
  expect(shell.ledger("start").map((line) => line.turn)).toEqual([turn.id]);
  expect(await client.turns.list({ key: "k" })).toHaveLength(1);
});
