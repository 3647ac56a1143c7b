/** Sessions that Reprise did not start are counted on the page, and kept from there. */

import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accessFaults, layoutFaults } from "./looks.ts";
import { Visit } from "./visit.ts";

const recorded = join(
  import.meta.dirname,
  "../../packages/providers/src/claude/fixtures/session.jsonl",
);
const name = "0f5b1c1e-3a51-4d0c-9b8e-6f3f3c1f2a10.jsonl";

test("the sessions of the agents' own programs are kept at a click, and counted", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  const project = join(server.folder, ".claude", "projects", "-work");
  mkdirSync(project, { recursive: true });
  copyFileSync(recorded, join(project, name));
  await visit.enter("/sessions");
  const line = page.getByRole("region", { name: "Protect" });
  await visit.see(line.getByText("are not kept"));
  expect([await accessFaults(page), await layoutFaults(page)]).toEqual([[], []]);
  await visit.button("Keep them").click();
  await visit.see(line.getByText("own programs: 1"));
  expect(await server.ask("/v1/protect")).toMatchObject({
    homes: [{ provider: "claude", kept: 1 }],
  });
  expect([await accessFaults(page), await layoutFaults(page)]).toEqual([[], []]);

  rmSync(join(project, name));
  await server.ask("/v1/protect/scan", {});
  await page.reload();
  await visit.see(line.getByText("of which 1 are gone there"));
});

test("a viewer is not offered what it may not do", async (context) => {
  await using visit = await Visit.begin(context);
  await visit.enter("/sessions", await visit.server.createToken("vera", "viewer"));
  const line = visit.page.getByRole("region", { name: "Protect" });
  await visit.see(line.getByText("are not kept"));
  expect(await line.getByRole("button").count()).toBe(0);
});
