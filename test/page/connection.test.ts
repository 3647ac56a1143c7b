/** The server dies under an open page: the page says so, reconnects, and has every row once. */

import { join } from "node:path";
import { openReprise } from "@reprise/engine/open-reprise";
import { expect, test } from "vitest";
import { Visit } from "./visit.ts";
import { withGate } from "./workflows.ts";

async function rows({ page }: Visit): Promise<number[]> {
  const found = await page.locator("[data-seq]").all();
  return Promise.all(found.map(async (row) => Number(await row.getAttribute("data-seq"))));
}

test("what happened while the server was away is there afterwards, once", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("g1", withGate);
  await visit.enter("/runs/g1");
  await visit.button("events").click();
  await visit.see(page.locator("[data-seq]").getByText("gate.opened"));
  const before = await rows(visit);
  await visit.killServer();

  const cwd = join(server.folder, "work");
  const reprise = await openReprise({ home: server.home, cwd });
  const [item] = await reprise.inbox.list();
  await reprise.inbox.answer({ item: item?.id ?? "", choice: "approve", by: "bob" });
  await reprise.close();
  expect(await rows(visit)).toEqual(before);

  await visit.startServer();
  await visit.see(page.locator("[data-seq]").getByText("run.ended"));
  const logged = (await server.eventsOf("g1")).map(({ seq }) => seq);
  expect(await rows(visit)).toEqual(logged);
  await visit.see(page.locator("[data-node=tell][data-status=done]"));
  await visit.open("/");
  await visit.see("You're all caught up.");
});

test("a run whose server was killed in the middle continues, and its log has no gap", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await visit.enter("/runs");
  await server.startRun("g1", withGate);
  await page.locator("[data-run=g1]").getByRole("link").click();
  await visit.button("events").click();
  await visit.see(page.locator("[data-seq]").getByText("node.started"));
  await visit.killServer();
  await visit.startServer();
  await visit.see(page.locator("[data-seq]").getByText("gate.opened"));
  const logged = (await server.eventsOf("g1")).map(({ seq }) => seq);
  expect(await rows(visit)).toEqual(logged);
  await visit.see(page.locator("[data-node=approve][data-status=waiting]"));
  await visit.link("Runs").first().click();
  await visit.see(page.locator("[data-run=g1]"));
  expect(await page.locator("[data-run]").count()).toBe(1);
});

test("an answer that cannot be shown breaks one page, and the others still work", async (context) => {
  await using visit = await Visit.begin(context);
  const { page } = visit;
  visit.expectFaults(/Invalid time value/);
  await page.route("**/v1/runs?*", (route) => route.fulfill({ json: [{ id: "r1" }] }));
  await visit.enter("/runs");
  await visit.see(page.getByRole("alert").getByText("This page could not be shown"));
  await visit.link("Sessions").click();
  await visit.see("No sessions yet");
});
