/** A run is watched, started, cancelled and run again on the page. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { leaveEndlessRun } from "../server/endless-run.ts";
import { Visit } from "./visit.ts";
import { failing, guarded, withGate } from "./workflows.ts";

test("a loop is seen to resume its session, with the transcript of each turn", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await visit.enter("/start");
  await page.getByLabel("Workflow").fill(withGate);
  await visit.button("Start").click();
  await visit.see(page.locator("[data-node=approve][data-status=waiting]"));
  expect(await page.locator("[data-node=practice]").innerText()).toContain("iteration 3");

  await page.locator("[data-node=writer]").click();
  const executions = page.getByRole("list", { name: "Executions" });
  await visit.see(executions.getByText("iteration 3"));
  expect((await executions.innerText()).match(/blank|resume/g)).toEqual([
    "blank",
    "resume",
    "resume",
  ]);
  await executions.getByText("iteration 2").click();
  await visit.see(page.locator("pre").getByText("This is turn 2."));
  expect(new URL(page.url()).searchParams.get("execution")).toBe("practice/2/writer");
  await page.reload();
  await visit.see(page.locator("pre").getByText("This is turn 2."));

  await visit.button("Cancel").click();
  await visit.see(page.getByRole("heading", { name: "Gate" }).locator("..").getByText("cancelled"));
  const [{ status }] = await server.ask("/v1/runs");
  expect(status).toBe("cancelled");
});

test("a workflow with a mistake is not started, and the page says what is wrong", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await visit.enter("/start");
  await page.getByLabel("Workflow").fill("name: x\nsteps: { a: { agent: nobody, prompt: hi } }");
  await visit.button("Start").click();
  await visit.see(page.getByRole("alert").getByText("nobody"));
  expect(await server.ask("/v1/runs")).toEqual([]);
  visit.forgive(/400/);
});

test("what failed is run again, and a run from a node on", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("r1", failing);
  await visit.enter("/runs/r1");
  await visit.see(page.locator("[data-node=second][data-status=failed]"));
  writeFileSync(join(server.folder, "work", "ready"), "");
  await visit.button("Rerun what failed").click();
  await visit.see(page.locator("[data-node=third][data-status=done]"));

  await page.locator("[data-node=third]").click();
  await visit.button("Rerun from third").click();
  const started = async () =>
    (await server.eventsOf("r1"))
      .filter(({ type }) => type === "node.started")
      .map(({ data }) => (data as { execution: string }).execution.replace(/~.*/, ""));
  await expect.poll(started).toEqual(["first", "second", "second", "third", "third"]);
});

test("W9: a run that is stuck leads to its item, which says why and ends it", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await leaveEndlessRun(server.home, server.folder);
  await visit.enter("/runs/r1");
  await page.getByRole("link", { name: "See why, then retry or cancel it" }).click();
  await visit.see(page.getByText("5 times in a row"));
  await visit.button("cancel").click();
  await visit.see(page.getByRole("status").getByText("cancel by"));
  const [{ status }] = await server.ask("/v1/runs");
  expect(status).toBe("cancelled");
});

test("runs are listed by their state, and appear as they begin", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("r1", failing);
  await visit.enter("/runs");
  await visit.see(page.locator("[data-run=r1]").getByText("failed"));
  await server.startRun("g1", withGate);
  await visit.see(page.locator("[data-run=g1]").getByText("waiting"));
  await page.getByLabel("Status").selectOption("waiting");
  await page.locator("[data-run=r1]").waitFor({ state: "detached" });
  await visit.see(page.locator("[data-run=g1]"));
  expect(await page.locator("[data-run]").count()).toBe(1);
});

test("W1 C25/scripted: a gate is rejected on the page, what is behind it is skipped, and it is asked again", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("r1", guarded);
  await visit.enter("/runs/r1");
  await page.locator("[data-node=sign-off]").click();
  await visit.see(page.getByText("on reject: push and note are skipped, the run is rejected"));
  await page.getByRole("link", { name: "Push it?" }).click();
  await visit.button("reject").click();
  await visit.see(page.getByText("reject by").first());
  await page.goto(`${server.url}/runs/r1`);
  await visit.see(page.locator("[data-node=push][data-status=skipped]"));
  const header = page.getByRole("heading", { name: "Guarded" }).locator("..");
  await visit.see(header.getByText("rejected"));
  await visit.see(page.getByText('Gate "sign-off" was answered with "reject"').first());
  expect(existsSync(join(server.folder, "work", "pushed"))).toBe(false);
  await page.locator("[data-node=sign-off]").click();
  await visit.button("Ask again").click();
  await visit.see(page.locator("[data-node=sign-off][data-status=waiting]"));
});
