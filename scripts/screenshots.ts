/**
 * `node scripts/screenshots.ts [FOLDER]`: pictures of every page, at a desk and on a telephone, light and
 * dark. With `docs/images`, only the two that the README shows.
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { buildPage } from "../packages/web/build.ts";
import { launchChromium, unpackChromium } from "../test/page/chromium.ts";
import { Server } from "../test/page/server.ts";
import { failing, withForm } from "../test/page/workflows.ts";
import { root } from "./files.ts";

const images = path.join(root, "docs/images");
const folder = path.resolve(process.argv[2] ?? path.join(root, ".cache/screenshots"));
const forReadme = folder === images;
const sizes = forReadme ? [1280] : [1280, 390];
const schemes = forReadme ? (["light"] as const) : (["light", "dark"] as const);

mkdirSync(folder, { recursive: true });
const built = mkdtempSync(path.join(tmpdir(), "reprise-built-"));
await buildPage(built);
await using server = await Server.start(built);
const browser = await launchChromium(await unpackChromium());
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${server.url}/?token=${server.token}`);
  await page.getByText("Run the demonstration").waitFor();
  await page
    .getByRole("region", { name: "Agents on this machine" })
    .getByText("codex", { exact: true })
    .waitFor();
  if (!forReadme) await take(page, "welcome");
  await page.getByRole("button", { name: "Run the demonstration" }).click();
  await page.locator("[data-node=approve][data-status=waiting]").waitFor();
  await page.locator("[data-node=writer]").click();
  await page.locator("pre").getByText("This is turn 3.").first().waitFor();
  await take(page, "page-run", 880);
  const run = new URL(page.url()).pathname;

  await page.getByRole("link", { name: "May the writer tell" }).click();
  await page.getByRole("button", { name: "approve" }).waitFor();
  if (!forReadme) await page.locator("summary").first().click();
  await take(page, "page-inbox", 460);
  if (!forReadme) await takeOthers(page, run);
} finally {
  await browser.close();
  rmSync(built, { recursive: true });
}

async function takeOthers(page: Page, run: string): Promise<void> {
  await page.getByRole("button", { name: "approve" }).click();
  await page.locator("article").getByText("Approved by").waitFor();
  await take(page, "answered");
  await page.goto(`${server.url}${run}?tab=events`);
  await page.locator("[data-seq]").getByText("run.ended").waitFor();
  await take(page, "run-events");
  await server.startRun("form", withForm);
  await server.startRun("failing", failing);
  await page.goto(`${server.url}/runs/failing?node=second`);
  await page.locator("[data-node=second][data-status=failed]").waitFor();
  await take(page, "run-failed");
  await page.goto(server.url);
  await page.getByLabel("Item").waitFor();
  await take(page, "inbox-form");
  await page.goto(`${server.url}/runs`);
  await page.locator("[data-run]").first().waitFor();
  await take(page, "runs");
  await page.goto(`${server.url}/sessions`);
  await page.locator("[data-row]").first().waitFor();
  await take(page, "sessions");
  await page.locator("[data-row]").first().click();
  await page.locator("[data-turn] button").first().click();
  await page.locator("[data-turn] summary").first().waitFor();
  await take(page, "session");
  await page.goto(`${server.url}/start`);
  await page.getByLabel("Workflow").waitFor();
  await take(page, "start");
  await server.kill();
  await page.getByText("disconnected").waitFor();
  await take(page, "disconnected");
}

/** `height` is that of the README's picture, which is no longer than it needs to be. */
async function take(page: Page, name: string, height = 800): Promise<void> {
  for (const colorScheme of schemes)
    for (const width of sizes) {
      await page.setViewportSize({ width, height: width < 500 ? 844 : height });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const file = forReadme ? `${name}.png` : `${name}-${colorScheme}-${width}.png`;
      await page.screenshot({ path: path.join(folder, file), fullPage: !forReadme });
    }
  await page.setViewportSize({ width: 1280, height: 800 });
}
