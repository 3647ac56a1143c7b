/** A session's turns are explained on the page, and what can be done with it is done there. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accessFaults, layoutFaults } from "./looks.ts";
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
  await page.getByText(`All ${decision.verdicts.length} guards`).click();
  await guards.first().waitFor();
  for (const [index, { guard, stored, current }] of decision.verdicts.entries()) {
    const text = await guards.nth(index).innerText();
    for (const part of [guard, "passes", stored, current]) expect(text).toContain(part);
  }
  expect(await guards.count()).toBe(decision.verdicts.length);
  await page.reload();
  await visit.see(page.getByText(`All ${decision.verdicts.length} guards`));
});

test("a turn is sent with a new provider session, and shows up as a reseed", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.ask("/v1/agents", { name: "echo", provider: "scripted" });
  await server.ask("/v1/sessions/s1/turns", { agent: "echo", prompt: "remember PLUM-7" });
  await visit.enter("/sessions/s1");
  await page.getByLabel("Prompt").fill("what did I ask you to remember?");
  await page.getByLabel("Continue").selectOption("reseed");
  await visit.button("Send").click();
  const newest = page.locator("[data-turn]").first();
  await visit.see(newest.getByText("reseed", { exact: true }));
  await newest.locator("> button").click();
  await visit.see(newest.locator("pre").getByText("PLUM-7"));
  await visit.see(newest.locator("tr").filter({ hasText: "policy" }).getByText("fails"));

  await visit.button("Explain now").click();
  await visit.see(page.getByRole("region", { name: "Next turn" }).getByText("resume").first());
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

test("earlier turns are shown twenty at a time, by the keyboard alone, on a telephone", async (context) => {
  await using visit = await Visit.begin(context, { width: 390, height: 844 });
  const { server, page } = visit;
  await server.ask("/v1/agents", { name: "echo", provider: "scripted" });
  for (let turn = 1; turn <= 43; turn += 1)
    await server.ask("/v1/sessions/long/turns", { agent: "echo", prompt: `echo ${turn}` });
  await visit.enter("/sessions/long");
  const shown = page.locator("[data-turn] > button");
  const numbers = async () =>
    (await shown.allInnerTexts()).map((text) => Number(/^#(\d+)/.exec(text)?.[1]));
  const upTo = (oldest: number) => Array.from({ length: 44 - oldest }, (_, index) => 43 - index);
  await visit.see(shown.nth(19));
  expect(await numbers()).toEqual(upTo(24));

  // From the oldest row the button is the next thing, and then the first of the rows that it brought.
  const number = () =>
    page.evaluate(() => /^#\d+/.exec(document.activeElement?.textContent ?? "")?.[0]);
  await shown.last().focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await visit.see(shown.nth(39));
  expect(await numbers()).toEqual(upTo(4));
  await expect.poll(number).toBe("#23");
  expect(await layoutFaults(page)).toEqual([]);
  expect(await accessFaults(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await visit.see(page.locator("[data-turn] summary").first());

  await visit.button("Earlier turns").press("Enter");
  await visit.see(shown.nth(42));
  expect(await numbers()).toEqual(upTo(1));
  expect(await visit.button("Earlier turns").count()).toBe(0);
  await expect.poll(number).toBe("#3");

  // What happens now comes on top, and nothing is lost below.
  await server.ask("/v1/sessions/long/turns", { prompt: "echo 44" });
  await visit.see(shown.first().getByText("echo 44"));
  expect(await numbers()).toEqual([44, ...upTo(1)]);
});

test("a link opens its turn, however early, and one to a turn that is not there says so", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.ask("/v1/agents", { name: "echo", provider: "scripted" });
  const ids: string[] = [];
  for (let number = 1; number <= 43; number += 1) {
    const prompt = `echo ${number}`;
    const { turn } = await server.ask("/v1/sessions/long/turns", { agent: "echo", prompt });
    ids.push(turn.id);
  }
  const sent = { agent: "echo", prompt: "echo" };
  const other = await server.ask("/v1/sessions/other/turns", sent);
  await visit.enter("/sessions/long");

  const shown = page.locator("[data-turn] > button");
  for (const [number, pages] of [
    [40, 1],
    [2, 3],
    [20, 2],
  ] as const) {
    await visit.open(`/sessions/long?turn=${ids[number - 1]}`);
    const linked = page.locator(`[data-turn="${ids[number - 1]}"]`);
    await visit.see(linked.locator("summary"));
    await visit.see(linked.locator("pre").getByText(`echo ${number}`));
    await expect
      .poll(() =>
        linked
          .getByRole("button", { expanded: true })
          .evaluate((button) => button === document.activeElement),
      )
      .toBe(true);
    expect(await page.locator("[data-turn] summary").count()).toBe(1);
    expect(await shown.count()).toBe(Math.min(pages * 20, 43));
  }
  expect(await layoutFaults(page)).toEqual([]);
  expect(await accessFaults(page)).toEqual([]);

  visit.expectFaults(/status of 40[04]/);
  for (const absent of ["never-was", "not an id", other.turn.id, "other"]) {
    await visit.open(`/sessions/long?turn=${encodeURIComponent(absent)}`);
    const note = page.getByRole("alert");
    await visit.see(note);
    expect(await note.allInnerTexts()).toEqual([`This session has no turn ${absent}.`]);
    expect(await shown.count()).toBe(20);
  }
  await shown.first().click();
  await visit.see(page.locator("[data-turn] summary").first());
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("P0: a waiting turn shows its question, is answered there, and is counted", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.createAsking("asks", "Which database?");
  await server.ask("/v1/sessions/s1/turns", { agent: "asks", prompt: "choose" });
  await visit.enter("/sessions/s1");
  const turn = page.locator("[data-turn]").first();
  const asked = turn.getByRole("region", { name: "Waits for an answer" });
  await visit.see(asked.getByText("Which database?", { exact: true }));
  expect(await asked.getByRole("link").getAttribute("href")).toMatch(/^\/inbox\/.+/);
  await visit.see(page.getByRole("heading", { name: "Turns (1)" }));
  expect(await layoutFaults(page)).toEqual([]);
  expect(await accessFaults(page)).toEqual([]);
  await asked.getByLabel("Which database?").fill("PostgreSQL");
  await asked.getByRole("button", { name: "Answer", exact: true }).click();
  await visit.see(turn.getByText("I was answered PostgreSQL"));
  expect(await asked.count()).toBe(0);
});

test("P0: a waiting turn is cancelled on its page, after a confirmation", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.createAsking("asks", "Which database?");
  await server.ask("/v1/sessions/s1/turns", { agent: "asks", prompt: "choose" });
  await visit.enter("/sessions/s1");
  await visit.button("Cancel turn").click();
  await visit.see(page.getByRole("dialog", { name: "Cancel this turn?" }));
  await visit.button("Back").click();
  expect((await server.ask("/v1/turns/s1")).turn.status).toBe("waiting");
  await visit.button("Cancel turn").click();
  await visit.button("Yes, cancel it").click();
  await visit.see(page.locator("[data-turn]").first().getByText("cancelled"));
  expect(await visit.button("Cancel turn").count()).toBe(0);
});

test("P0: each of a session's agents has its folder under a name of its own", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  for (const name of ["one", "two"]) {
    await server.ask("/v1/agents", { name, provider: "scripted" });
    await server.ask("/v1/sessions/s1/turns", { agent: name, prompt: "echo hello" });
  }
  await visit.enter("/sessions/s1");
  const facts = page.getByRole("region", { name: "Session", exact: true }).locator("dt");
  await visit.see(facts.first());
  const names = await facts.allInnerTexts();
  expect(names.filter((name) => /folder/i.test(name))).toEqual(["Folder of one", "Folder of two"]);
  expect(new Set(names).size).toBe(names.length);
});

test("P0: sessions are searched on the server, all of them, in any case", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.ask("/v1/agents", { name: "echo", provider: "scripted" });
  await server.ask("/v1/sessions/s00/turns", { agent: "echo", prompt: "echo hello" });
  for (let number = 1; number <= 55; number += 1) {
    const newKey = number === 1 ? "a-Needle-9" : `s${String(number).padStart(2, "0")}`;
    await server.ask("/v1/sessions/s00/fork", { newKey });
  }
  await visit.enter("/sessions");
  await visit.see(page.getByRole("link", { name: "s55", exact: true }));
  expect(await page.getByRole("link", { name: "a-Needle-9" }).count()).toBe(0);
  await page.getByLabel("Search key or agent").fill("NEEDLE");
  await visit.see(page.getByRole("link", { name: "a-Needle-9" }));
  await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
  await page.reload();
  await visit.see(page.getByRole("link", { name: "a-Needle-9" }));
  await page.getByLabel("Search key or agent").fill("hay");
  await visit.see("No matches for “hay”");
});

test("the row of a turn says why, failed guards come first, and a first turn has not failed", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.ask("/v1/agents", { name: "echo", provider: "scripted" });
  await server.ask("/v1/sessions/s1/turns", { agent: "echo", prompt: "echo 1" });
  const sent = { prompt: "echo 2", continuity: "reseed" };
  const { decision } = await server.ask("/v1/sessions/s1/turns", sent);
  await visit.enter("/sessions/s1");
  const [second, first] = [page.locator("[data-turn]").nth(0), page.locator("[data-turn]").nth(1)];
  await visit.see(second.getByText("policy: resume → reseed (turn)", { exact: true }));
  await visit.see(first.getByText("first turn", { exact: true }));
  await second.getByRole("button").click();
  await visit.see(second.locator("tbody tr").first());
  expect(await second.locator("tbody tr").first().innerText()).toMatch(/^policy\s+fails/);
  await visit.see(second.getByText(`${decision.verdicts.length - 1} others pass`));
  await first.getByRole("button").click();
  await first.locator("summary").click();
  await visit.see(first.locator("tr").filter({ hasText: "prior" }).getByText("first turn"));
  expect(await first.getByText("fails").count()).toBe(0);
});

test("a draft is kept, and Ctrl+Enter sends it", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.ask("/v1/agents", { name: "echo", provider: "scripted" });
  await server.ask("/v1/sessions/s1/turns", { agent: "echo", prompt: "echo 1" });
  await visit.enter("/sessions/s1");
  await page.getByLabel("Prompt").fill("echo by keyboard");
  await visit.open("/sessions");
  await visit.open("/sessions/s1");
  expect(await page.getByLabel("Prompt").inputValue()).toBe("echo by keyboard");
  await page.getByLabel("Prompt").press("Control+Enter");
  await visit.see(page.locator("[data-turn]").first().getByText("by keyboard").first());
  await expect.poll(() => page.getByLabel("Prompt").inputValue()).toBe("");
});

test("a cancelled turn says who cancelled it", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  const script = join(server.folder, "script.json");
  writeFileSync(script, JSON.stringify({ rules: [{ do: [{ ask: "Which database?" }] }] }));
  await server.ask("/v1/agents", { name: "asks", provider: "scripted", settings: { script } });
  await server.ask("/v1/sessions/s1/turns", { agent: "asks", prompt: "choose" });
  await visit.enter("/sessions/s1");
  const turn = page.locator("[data-turn]").first();
  await visit.see(turn.getByText("waiting"));
  await server.ask("/v1/turns/s1/cancel", { by: "ben" });
  await visit.see(turn.getByText("by ben", { exact: true }));
  await turn.locator("> button").click();
  await visit.see(turn.getByRole("alert").getByText("ben cancelled turn"));
});
