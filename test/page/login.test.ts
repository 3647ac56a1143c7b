/** An unknown token: the page says so, once, and asks for another. */

import { expect, test } from "vitest";
import { accessFaults, layoutFaults } from "./looks.ts";
import { Visit } from "./visit.ts";

const sentence = "The token in the address is unknown or was revoked.";

test("a wrong token in the address shows the login page with one sentence, and the right one lets in", async (context) => {
  await using visit = await Visit.begin(context, { width: 390 });
  const { server, page } = visit;
  const visited: string[] = [];
  page.on("framenavigated", (frame) => visited.push(frame.url()));
  const response = await page.goto(`${server.url}/sessions?token=wrong`);
  expect([response?.status(), response?.headers()["content-type"]]).toEqual([
    401,
    "text/html; charset=utf-8",
  ]);
  await visit.see("Enter your token");
  expect(await page.getByRole("alert").allInnerTexts()).toEqual([sentence]);
  // The token is gone from the address, and nothing was loaded again for it.
  expect(visited).toEqual([`${server.url}/sessions?token=wrong`, `${server.url}/sessions`]);
  expect(await layoutFaults(page)).toEqual([]);
  expect(await accessFaults(page)).toEqual([]);

  await page.getByLabel("Token").fill("wrong as well");
  await visit.button("Log in").click();
  await visit.see("This token is unknown or was revoked");
  expect(await page.getByText(sentence).count()).toBe(0);
  await page.getByLabel("Token").fill(server.token);
  await visit.button("Log in").click();
  await visit.see("No sessions yet");
  expect(page.url()).toBe(`${server.url}/sessions`);
  // Once each: a page that is not logged in asks for nothing more.
  for (const _ of ["the page", "its first question", "the second token"]) visit.forgive(/401/);
});

test("a browser that was logged in before sees the sentence, and is still logged in", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await visit.enter("/sessions");
  await page.goto(`${server.url}/sessions?token=wrong`);
  await visit.see(sentence);
  visit.forgive(/401/);
  await page.reload();
  await visit.see("No sessions yet");
});

test("a token that is revoked while the page is open leads to the login page", async (context) => {
  await using visit = await Visit.begin(context);
  const { server } = visit;
  await visit.enter("/runs", await server.createToken("ben", "operator"));
  visit.expectFaults(/401/);
  await server.revokeToken("ben");
  await visit.see("Enter your token");
});
