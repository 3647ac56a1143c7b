import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { appears } from "../../../../test/until.ts";
import { runBackgroundLoops } from "./background-loops.ts";
import { TestApp } from "./test-app.ts";

test("a call that is repeated while the server stops is not started again by the next server", async () => {
  const app = await TestApp.open();
  onTestFinished(() => app.close());
  const [reached, go] = ["reached", "go"].map((name) => join(app.folder, name)) as [string, string];
  await app.createCoder([{ when: {}, do: ["model", { touch: reached }, { "wait-for": go }] }]);
  const send = (wait: string) =>
    app.call("sessions.send", [{ key: "k", agent: "coder", prompt: "job" }], {
      query: { wait },
      headers: { "idempotency-key": "one" },
    });
  const first = await send("0");
  expect(first.status).toBe(202);
  await appears(reached);
  await app.work.stop();
  // A call that does not wait may also get the accepted turn again.
  expect(await send("55")).toMatchObject({ status: 503, body: { code: "stopping" } });
  await app.stop();

  await app.start();
  const serving = runBackgroundLoops({ ...app, log: () => {} });
  const again = send("55");
  writeFileSync(go, "");
  const turn = { id: first.body.accepted, seq: 1, status: "done" };
  expect(await again).toMatchObject({ status: 200, body: { turn } });
  expect((await app.reprise.sessions.show("k")).recent).toMatchObject([turn]);
  await app.work.stop();
  await serving;
});
