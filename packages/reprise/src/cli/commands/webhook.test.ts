import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { userName } from "@reprise/engine/engine";
import { openEngine } from "@reprise/engine/open-reprise";
import { afterAll, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

const { folder, run, document, remove } = testHome("webhook");
afterAll(remove);
const url = "http://127.0.0.1:1/hook";

test("a webhook is added, listed without its secret, and removed by the start of its id", async () => {
  await run("token", "create", "ana", "--role", "viewer");
  expect(await run("webhook", "list")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("There are no webhooks yet."),
  });
  const made = await document("webhook", "add", url, "--event", "run.ended, gate.*");
  expect(made).toMatchObject({ direction: "outgoing", url, events: ["run.ended", "gate.*"] });
  expect(made.secret).toMatch(/^[\w-]{43}$/);
  const { stdout } = await run("webhook", "list");
  expect(stdout).toMatch(new RegExp(`^${made.id} +outgoing +run\\.ended,gate\\.\\* +${url}`, "m"));
  expect(stdout).not.toContain(made.secret);
  expect(await run("webhook", "remove", made.id.slice(0, 8))).toMatchObject({
    code: 0,
    stdout: `Removed webhook ${made.id}.\n`,
  });
  expect(await document("webhook", "list")).toEqual([]);
  expect(await run("webhook", "remove", made.id)).toMatchObject({ code: 4 });
});

test("V19: the events of a webhook say who added and removed it", async () => {
  const { id } = await document("webhook", "add", url, "--event", "run.ended");
  await run("webhook", "remove", id);
  const { engine, reprise } = await openEngine({ home: join(folder, "home") });
  const log = await engine.store.readEvents({ after: 0, limit: 1000 });
  await reprise.close();
  const by = userName(engine.env);
  expect(log.filter(({ stream }) => stream === `webhook:${id}`)).toMatchObject([
    { type: "webhook.created", data: { url, by } },
    { type: "webhook.removed", data: { by } },
  ]);
});

test("a secret from a file is not shown", async () => {
  await writeFile(join(folder, "own.secret"), "a secret of my own choice\n");
  const own = await run("webhook", "add", "--incoming", "--secret-file", "own.secret");
  expect(own).toMatchObject({ code: 0, stderr: expect.stringContaining("POST /v1/hooks/") });
  expect(own.stdout + own.stderr).not.toMatch(/[Ss]ecret/);
});

test("a webhook that does not exist has no deliveries, and nothing to replay", async () => {
  expect(await run("webhook", "deliveries")).toMatchObject({ code: 0, stdout: "" });
  expect(await run("webhook", "deliveries", "none")).toMatchObject({ code: 4 });
  expect(await run("webhook", "replay", "none")).toMatchObject({ code: 4 });
});

test.each([
  [["webhook", "add"], "what-webhook"],
  [["webhook", "add", url, "--incoming"], "what-webhook"],
  [["webhook", "add", "--incoming", "--event", "*"], "what-webhook"],
  [["webhook", "add", url], "no-event"],
  [["webhook", "add", url, "--event", "run.endet"], "bad-event"],
  [["webhook", "add", "ftp://127.0.0.1/", "--event", "*"], "bad-url"],
])("%j is refused: %s", async (argv, code) => {
  expect(await document(...argv)).toMatchObject({ error: { code } });
});
