/** Inbox items are answered on the page, once, and their runs and turns continue. */

import { join } from "node:path";
import { ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { expect, test } from "vitest";
import { parkDeadline } from "../server/parked-deadline.ts";
import { Visit } from "./visit.ts";
import { asking, askingPermission, withForm, withGate, withPassphrase } from "./workflows.ts";

const key = "wf:g1:agent:writer";

test("a gate is answered, and its run is seen to continue", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("g1", withGate);
  await visit.enter();
  await visit.see("It said: This is turn 3.");
  const sessions = page.getByRole("region", { name: "Held sessions" });
  await visit.see(sessions.getByText("resume", { exact: true }));
  expect(await sessions.innerText()).toContain(key);

  await page.getByLabel("Comment (optional)").fill("Well done.");
  await visit.button("approve").dblclick();
  await visit.see(page.locator("article").getByText("Approved by ann"));
  await visit.see(page.locator("article").getByText("Well done."));
  await visit.see("You're all caught up.");

  await page.locator("article").getByRole("link", { name: "Gate" }).click();
  await visit.see(page.locator("[data-node=tell][data-status=done]"));
  await visit.see(page.locator("pre").getByText("PLUM-7"));
  const answers = (await server.eventsOf("g1")).filter(({ type }) => type === "gate.answered");
  expect(answers).toMatchObject([
    { data: { choice: "approve", by: "ann", comment: "Well done." } },
  ]);
});

test("an item that another person answered meanwhile shows that answer", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("g1", withGate);
  await visit.enter();
  await visit.button("approve").waitFor();
  const [{ id }] = await server.ask("/v1/inbox");
  await server.ask(`/v1/inbox/${id}/answer?wait=0`, { choice: "reject", by: "bob" });
  await visit.see("You're all caught up.");
  await visit.open(`/inbox/${id}`);
  await visit.see(page.locator("article").getByText("Rejected by bob"));
  expect(await visit.button("approve").count()).toBe(0);
});

test("a form is filled in, and what is missing is asked for", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("f1", withForm);
  await visit.enter();
  await visit.button("order").click();
  expect(await page.getByLabel("Item").evaluate((field) => field.matches(":invalid"))).toBe(true);
  await page.getByLabel("Item").fill("lamps");
  await page.getByLabel("Amount (optional)").fill("3");
  await page.getByLabel("Size (optional)").selectOption("large");
  await visit.button("order").click();
  await visit.see(page.locator("article").getByText("Answered by ann: order"));
  await visit.open("/runs/f1");
  await visit.see(page.locator("pre").getByText("3 large lamps"));
});

test("S0: a permission takes no text for an answer; deny gives the comment to the agent as its reason", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("p1", askingPermission(server.folder));
  await visit.enter();
  await page.getByLabel("Comment (optional)").fill("No, do not run that.");
  await page.getByLabel("Comment (optional)").press("Enter");
  expect(await page.getByRole("button", { name: /answer/i }).count()).toBe(0);
  expect(await server.ask("/v1/inbox")).toMatchObject([{ kind: "permission", resolution: null }]);
  await visit.button("deny").click();
  await visit.see(page.locator("article").getByText("Denied by ann"));
  await visit.open("/runs/p1?tab=outputs");
  await visit.see(page.locator("pre").getByText("I was answered no: No, do not run that."));
  const ledger = readLedger(ledgerPath(join(server.folder, "agent")));
  expect(ledger.filter(({ event }) => event === "tool")).toEqual([]);
});

test("V20: a gate that asks for a passphrase is answered with it alone", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.passphrase("release", "correct horse battery");
  await server.startRun("s1", withPassphrase);
  await visit.enter();
  await visit.button("approve").waitFor();
  expect(await visit.button("approve").isDisabled()).toBe(true);
  const field = page.getByLabel("Passphrase release");
  expect(await field.getAttribute("type")).toBe("password");
  await field.fill("a wrong one");
  await field.press("Enter");
  await visit.button("approve").click();
  await visit.see("That is not the passphrase release.");
  visit.forgive(/403/);
  await field.fill("correct horse battery");
  await visit.button("approve").click();
  await visit.see(page.locator("article").getByText("Approved by ann"));
});

test("an agent's question is answered, and its turn continues", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("q1", asking(server.folder));
  await visit.enter();
  await visit.see(page.getByRole("region", { name: "Held sessions" }));
  await page.getByLabel("Which database?").fill("PostgreSQL");
  await visit.button("Answer").click();
  await visit.see("You're all caught up.");
  await visit.open("/runs/q1?tab=outputs");
  await visit.see(page.locator("pre").getByText("I was answered PostgreSQL"));
  await visit.open("/");
  const answered = page.getByRole("region", { name: "Answered (1)" });
  await visit.see(answered.getByText("Answered by ann: PostgreSQL"));
});

test("an empty home offers the demonstration, and says which agents there are", async (context) => {
  await using visit = await Visit.begin(context);
  const { page } = visit;
  await visit.enter();
  await visit.see(page.getByRole("region", { name: "Agents on this machine" }).getByText("codex"));
  await visit.button("Run the demonstration").click();
  await visit.link("May the writer tell what it remembers?").click();
  await visit.button("approve").click();
  await page.locator("article").getByRole("link", { name: "Demonstration" }).click();
  await visit.see(page.locator("pre").getByText("the blue door"));
});

test("a deadline that passed and could not be settled is seen on its item", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.kill();
  const item = await parkDeadline(server.home, join(server.folder, "work"), "r1");
  await server.start();
  await visit.enter(`/inbox/${item}`);
  await visit.see(page.locator("article").getByText("has not settled it yet"));
  expect(await page.locator("article header").innerText()).toMatch(
    /the deadline passed \d+ min ago and the server has not settled it yet/,
  );
});

test("of many answered items the newest are shown, the newest first", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  const ids = Array.from({ length: 12 }, (_, index) => `r${index + 1}`);
  for (const id of ids) {
    const source = `name: ${id}\nsteps:\n  ask: { gate: "Question ${id}" }\n`;
    const { waitsFor } = await server.ask("/v1/runs", { id, source });
    await server.ask(`/v1/inbox/${waitsFor[0]}/answer`, { choice: "approve" });
  }
  await visit.enter();
  const answered = page.getByRole("region", { name: "Answered (10)" }).getByRole("link");
  await visit.see(answered.nth(9));
  const titles = (await answered.allInnerTexts()).map((text) => text.split("\n")[0]);
  expect(titles).toEqual(
    ids
      .toReversed()
      .slice(0, 10)
      .map((id) => `Question ${id}`),
  );
});

test("V16: characters that turn text round are written out, and nothing else changes", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  const title = "Send \u202e000,1\u202c to \u2067Bob\u2069?";
  const source = { name: "Pay\u202eno", steps: { ask: { gate: { title, message: title } } } };
  await server.startRun("g1", JSON.stringify(source));
  await visit.enter();
  await visit.see("Send \\u202e000,1\\u202c to \\u2067Bob\\u2069?");
  const seen = () => page.locator("body").innerText();
  expect(await seen()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  expect(await seen()).toContain("Pay\\u202eno");
  await visit.button("approve").click();
  await visit.see("You're all caught up.");
  await visit.open("/runs/g1");
  await visit.see("Pay\\u202eno");
  expect(await seen()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});
