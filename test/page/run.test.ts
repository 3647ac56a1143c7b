/** A run is watched, started, cancelled and run again on the page. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { leaveEndlessRun } from "../server/endless-run.ts";
import { Visit } from "./visit.ts";
import { counting, failing, guarded, withGate } from "./workflows.ts";

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
  await visit.button("Yes, cancel it").click();
  await visit.see(page.getByRole("heading", { name: "Gate" }).locator("..").getByText("cancelled"));
  const [{ status }] = await server.ask("/v1/runs");
  expect(status).toBe("cancelled");
});

test("a workflow with a mistake is not started, and the page says what is wrong", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await visit.enter("/start");
  await page
    .getByLabel("Workflow")
    .fill("name: x\nsteps: { a: { agent: unknown-one, prompt: hi } }");
  await visit.button("Start").click();
  await visit.see(page.getByRole("alert").getByText("unknown-one"));
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
  await visit.button("Yes, rerun").click();
  await visit.see(page.locator("[data-node=third][data-status=done]"));

  await page.locator("[data-node=third]").click();
  await visit.button("Rerun from third").click();
  await visit.button("Yes, rerun").click();
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
  await visit.see(page.getByRole("status").getByText("Cancelled by"));
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
  await visit.see(page.getByText("Rejected by").first());
  await page.goto(`${server.url}/runs/r1`);
  await visit.see(page.locator("[data-node=push][data-status=skipped]"));
  const header = page.getByRole("heading", { name: "Guarded" }).locator("..");
  await visit.see(header.getByText("rejected"));
  await visit.see(page.getByText('Gate "sign-off" was answered with "reject"').first());
  expect(existsSync(join(server.folder, "work", "pushed"))).toBe(false);
  await page.locator("[data-node=sign-off]").click();
  await visit.see(page.locator("[data-execution=sign-off]").getByText("rejected", { exact: true }));
  await visit.button("Ask again").click();
  await visit.button("Yes, ask again").click();
  await visit.see(page.locator("[data-node=sign-off][data-status=waiting]"));
});

test("P0: every iteration of a long loop shows its prompt and its answer", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("r1", counting(25));
  await visit.enter("/runs/r1");
  await visit.see(page.locator("[data-node=practice][data-status=done]"));
  for (const iteration of [1, 2, 5, 25]) {
    await visit.open(`/runs/r1?execution=practice/${iteration}/writer`);
    await visit.see(page.locator("pre").getByText("how many turns?"));
    await visit.see(page.locator("pre").getByText(`This is turn ${iteration}.`));
  }
});

test("P0: runs whose ids begin alike show their whole ids", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  const ids = ["nightly-2026-11-15", "nightly-2026-11-16"];
  for (const id of ids) await server.startRun(id, failing);
  await visit.enter("/runs");
  for (const id of ids) await visit.see(page.getByText(id, { exact: true }));
});

test("more runs are loaded a page at a time, each once", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  for (let number = 1; number <= 52; number += 1)
    await server.startRun(`r${number}`, 'name: Ask\nsteps:\n  ask: { gate: "Really?" }\n');
  await visit.enter("/runs");
  const rows = page.locator("[data-run]");
  await visit.see(rows.nth(49));
  expect(await rows.count()).toBe(50);
  const asked = page.waitForRequest((request) => request.url().includes("/v1/runs?"));
  await visit.button("Show more").click();
  expect(new URL((await asked).url()).searchParams.get("after")).toBe("r3");
  await visit.see(page.locator("[data-run=r1]"));
  expect(await rows.count()).toBe(52);
  expect(await visit.button("Show more").count()).toBe(0);
});

test("a failed run shows its failed node, and an action asks before it acts", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("r1", failing);
  await visit.enter("/runs/r1");
  await visit.see(page.locator("[data-node=second][aria-pressed=true]"));
  await visit.see(page.getByRole("region", { name: "second" }).getByRole("alert"));
  await visit.button("Rerun from the start").click();
  await visit.see(page.getByRole("dialog", { name: "Rerun from the start?" }));
  await visit.button("Back").click();
  const { type } = (await server.eventsOf("r1")).at(-1)!;
  expect(type).toBe("run.ended");
});

test("a gate is answered on the page of its run", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("g1", withGate);
  await visit.enter("/runs/g1");
  const gate = page.getByRole("region", { name: "Waits for an answer" });
  await visit.see(gate.getByText("It said: This is turn 3."));
  await gate.getByRole("button", { name: "approve", exact: true }).click();
  await visit.see(page.locator("[data-node=tell][data-status=done]"));
  expect(await gate.count()).toBe(0);
});

test("a viewer sees everything, and nothing to press", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("g1", withGate);
  await visit.enter("/", await server.createToken("vera", "viewer"));
  await visit.see("your token has the role viewer");
  expect(await visit.button("approve").count()).toBe(0);
  expect(await page.title()).toBe("(1) Inbox · Reprise");
  await visit.open("/runs/g1");
  await visit.see(page.locator("[data-node=approve][data-status=waiting]"));
  expect(await visit.button("Cancel").count()).toBe(0);
  await visit.open("/sessions/wf:g1:agent:writer");
  await visit.see(page.locator("[data-turn]").first());
  for (const name of ["Send", "Hold", "Archive"]) expect(await visit.button(name).count()).toBe(0);
  await visit.open("/runs");
  expect(await visit.link("Start a run").count()).toBe(0);
});

test("unrelated runs do not make the open inbox ask again", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("g1", withGate);
  await visit.enter();
  await visit.see(visit.button("approve"));
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  for (let number = 1; number <= 5; number += 1)
    await server.ask("/v1/runs", { id: `r${number}`, source: counting(1) });
  // The page has heard of all that happened before this.
  await server.startRun("g2", withGate);
  await visit.see(page.getByRole("heading", { name: "Open (2)" }));
  expect(asked.filter((path) => path === "/v1/inbox").length).toBeLessThanOrEqual(4);
  expect(asked.filter((path) => path.startsWith("/v1/inbox/"))).toEqual([]);
  expect(asked.filter((path) => path === "/v1/sessions")).toEqual([]);
});
