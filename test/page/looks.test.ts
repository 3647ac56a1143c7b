/** Every page, on a telephone and on a desk, light and dark: it fits, nothing is cut off, and it is accessible. */

import { expect, test } from "vitest";
import { accessFaults, layoutFaults } from "./looks.ts";
import { Visit } from "./visit.ts";
import { failing, withForm, withGate } from "./workflows.ts";

const longWord = "a-name-that-goes-on-and-on-without-a-single-blank-".repeat(3).slice(0, 140);

async function faults({ page }: Visit): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 860 });
    const layout = await layoutFaults(page);
    if (layout.length > 0) found[`layout at ${width}`] = layout;
  }
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const access = await accessFaults(page);
    if (access.length > 0) found[`access, ${colorScheme}`] = access;
  }
  return found;
}

test("what is looked for is found", async (context) => {
  await using visit = await Visit.begin(context);
  await visit.page.setContent(`<html lang="en"><title>x</title><main>
    <p style="width: 3000px">wide</p>
    <p style="width: 9px; overflow: hidden; white-space: nowrap">cut off at a side</p>
    <p style="width: 9px; white-space: nowrap">out of its box</p>
    <button>one</button><button style="margin-left: -20px">two</button>
    <input><p style="color: #aaa; background: #bbb">pale</p></main></html>`);
  const layout = (await layoutFaults(visit.page)).join("\n");
  for (const words of ["wide, and the window", "cut off at its side", "runs out", "lies over"])
    expect(layout).toContain(words);
  const access = (await accessFaults(visit.page)).join("\n");
  for (const rule of ["color-contrast", "label"]) expect(access).toContain(rule);
});

test("an empty home, and a page without the token", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await page.goto(server.url);
  await visit.see("Enter your token");
  visit.forgive(/401/);
  expect(await faults(visit)).toEqual({});
  await page.getByLabel("Token").fill(server.token);
  await visit.button("Log in").click();
  await visit.see(page.getByRole("region", { name: "Agents on this machine" }).getByText("codex"));
  expect(await faults(visit)).toEqual({});
});

test("pages with nothing on them, and one that is not there", async (context) => {
  await using visit = await Visit.begin(context);
  await visit.enter();
  for (const path of ["/runs", "/sessions", "/start", "/nowhere"]) {
    await visit.open(path);
    expect([path, await faults(visit)]).toEqual([path, {}]);
  }
});

test("the inbox, with long words in it", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("g1", withGate);
  await server.startRun("f1", withForm.replace("What shall be ordered?", longWord));
  const inbox = async () => (await server.ask("/v1/inbox")).length;
  await expect.poll(inbox).toBe(2);
  await visit.enter();
  for (const { id } of await server.ask("/v1/inbox")) {
    await visit.open(`/inbox/${id}`);
    await page.locator("article form").waitFor();
    for (const unfolded of await page.locator("article summary").all()) await unfolded.click();
    expect(await faults(visit)).toEqual({});
  }
});

test("a run with everything unfolded", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("g1", withGate);
  await visit.enter("/runs/g1");
  await visit.see(page.locator("[data-node=approve][data-status=waiting]"));
  await visit.open("/runs/g1?execution=practice/2/writer&tab=events");
  await visit.see(page.locator("[data-seq]").getByText("gate.opened"));
  await page.getByText(/^All \d+ guards$/).waitFor({ state: "attached" });
  for (const unfolded of await page.locator("summary").all()) await unfolded.click();
  await visit.see(page.locator("tbody tr"));
  expect(await faults(visit)).toEqual({});
});

test("runs with long names, one of them failed", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  const named = failing.replace("name: Failing", `name: ${longWord}`);
  await server.startRun("r1", named.replaceAll("first", longWord.slice(0, 50)));
  await visit.enter("/runs");
  await visit.see(page.locator("[data-run=r1]").getByText("failed"));
  expect(await faults(visit)).toEqual({});
  await visit.open("/runs/r1?node=second&tab=workflow");
  await visit.see(page.locator("[data-node=second][data-status=failed]"));
  expect(await faults(visit)).toEqual({});
});

test("sessions with long keys, one of them explained", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.ask("/v1/agents", { name: "echo", provider: "scripted" });
  await server.ask(`/v1/sessions/${longWord}/turns`, { agent: "echo", prompt: longWord });
  await visit.enter("/sessions");
  await page.locator("[data-row]").first().waitFor();
  expect(await faults(visit)).toEqual({});
  await visit.open(`/sessions/${longWord}`);
  await page.locator("[data-turn] button").first().click();
  await visit.button("Explain now").click();
  await expect.poll(() => page.locator("summary").count()).toBe(2);
  for (const unfolded of await page.locator("summary").all()) await unfolded.click();
  expect(await faults(visit)).toEqual({});
});

test("the keyboard goes through rows, to pages, and shows what it can do", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("r1", failing);
  await server.startRun("r2", failing);
  await visit.enter("/runs");
  await page.locator("[data-row]").nth(1).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  const first = page.locator("[data-row]").first();
  expect(await first.evaluate((row) => row === document.activeElement)).toBe(true);
  await page.keyboard.press("?");
  await visit.see(page.getByRole("dialog").getByText("next row"));
  expect(await accessFaults(page)).toEqual([]);
  await page.keyboard.press("Escape");
  const href = await first.getAttribute("href");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${href}`);
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await page.waitForURL("**/sessions");
});
