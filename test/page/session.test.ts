/** A session's turns are explained on the page, and what can be done with it is done there. */

import { expect, test } from "vitest";
import { Visit } from "./visit.ts";

test("a decision is unfolded to all guards with what was stored and what is now", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.ask("/v1/agents", { name: "echo", provider: "scripted" });
  const send = (prompt: string) =>
    server.ask("/v1/sessions/why.1/turns", { agent: "echo", prompt });
  await send("remember PLUM-7");
  const { turn, decision } = await send("echo again");

  await visit.enter("/sessions/why.1");
  await visit.see(page.locator(`[data-turn="${turn.id}"]`).getByText("resume", { exact: true }));
  await page.locator(`[data-turn="${turn.id}"]`).getByRole("button").click();
  const guards = page.locator(`[data-turn="${turn.id}"] tbody tr`);
  await guards.first().waitFor();
  for (const [index, { guard, stored, current }] of decision.verdicts.entries()) {
    const text = await guards.nth(index).innerText();
    for (const part of [guard, "holds", stored, current]) expect(text).toContain(part);
  }
  expect(await guards.count()).toBe(decision.verdicts.length);
  await page.reload();
  await visit.see(guards.first());
});

test("a turn is sent with a new provider session, and shows up as a reseed", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.ask("/v1/agents", { name: "echo", provider: "scripted" });
  await server.ask("/v1/sessions/s1/turns", { agent: "echo", prompt: "remember PLUM-7" });
  await visit.enter("/sessions/s1");
  await page.getByLabel("Prompt").fill("what did I ask you to remember?");
  await page.getByLabel("How").selectOption("reseed");
  await visit.button("Send").click();
  const newest = page.locator("[data-turn]").first();
  await visit.see(newest.getByText("reseed", { exact: true }));
  await newest.getByRole("button").click();
  await visit.see(newest.locator("pre").getByText("PLUM-7"));
  await visit.see(newest.locator("tr").filter({ hasText: "policy" }).getByText("fails"));

  await visit.button("Explain now").click();
  await visit.see(page.getByRole("region", { name: "The next turn" }).getByText("resume").first());
});

test("a session is held and released, archived and revived", async (context) => {
  await using visit = await Visit.begin(context);
  const { server } = visit;
  await server.ask("/v1/agents", { name: "echo", provider: "scripted" });
  await server.ask("/v1/sessions/s1/turns", { agent: "echo", prompt: "echo hello" });
  await visit.enter("/sessions/s1");
  await visit.button("Hold").click();
  await visit.button("Release").waitFor();
  expect((await server.ask("/v1/sessions/s1")).held).toMatchObject([{ by: "person" }]);
  await visit.button("Release").click();
  await visit.button("Hold").waitFor();
  await visit.button("Archive").click();
  await visit.see("Revive the session to send to it.");
  await visit.button("Revive").click();
  await visit.button("Archive").waitFor();
  expect(await server.ask("/v1/sessions/s1")).toMatchObject({ held: [], archivedAt: null });
});
